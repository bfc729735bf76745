import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { ALL_KINDS, knownKind, POLICY_KINDS, policyTarget } from './policy-kinds.ts';

const DECISION = JSON.stringify({
  version: 'v1',
  rules: [{ rule: 'all', when: 'true', outcome: 'accepted', reason: 'It is allowed.' }],
});
const PRE_UNDERWRITING = JSON.stringify({
  version: 'v1',
  rules: [{ rule: 'ccjs', when: 'enquiry.marketing', category: 'outstanding_ccjs' }],
});

describe('the kinds of policy', () => {
  it.each([
    [
      PolicyKind.DECISION,
      DECISION,
      { rule: 'all', condition: 'true', outcome: 'accepted', reason: 'It is allowed.' },
    ],
    [
      PolicyKind.PRE_UNDERWRITING,
      PRE_UNDERWRITING,
      { rule: 'ccjs', condition: 'enquiry.marketing', outcome: 'outstanding_ccjs', reason: '' },
    ],
  ] as const)('read and list the rules of kind %i', (kind, text, shown) => {
    expect(POLICY_KINDS[kind].read(text)).toEqual({ version: 'v1', rules: [shown] });
    expect(POLICY_KINDS[kind].statedRules(text)).toEqual([shown]);
  });

  it('include exactly the kinds in the contract', () => {
    expect(ALL_KINDS.map(knownKind)).toEqual([PolicyKind.DECISION, PolicyKind.PRE_UNDERWRITING]);
    expect([PolicyKind.UNSPECIFIED, 99 as PolicyKind].map(knownKind)).toEqual([undefined, undefined]);
  });

  it('name a version in the audit log with its kind', () => {
    expect(policyTarget(PolicyKind.DECISION, 'v1')).toBe('decision/v1');
    expect(policyTarget(PolicyKind.PRE_UNDERWRITING, 'v1')).toBe('pre-underwriting/v1');
  });
});
