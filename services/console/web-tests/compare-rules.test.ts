import { create } from '@bufbuild/protobuf';
import { PolicyRuleSchema } from '@supplier/proto/submission/v1/policies';
import { compareRules } from '../web/src/screens/policy/compare-rules.ts';

const STATED = {
  rule: 'small',
  condition: 'enquiry.funding_amount < 1',
  outcome: 'rejected',
  reason: 'Too small.',
};
const rules = (...stated: Partial<typeof STATED>[]) =>
  stated.map((one) => create(PolicyRuleSchema, { ...STATED, ...one }));

describe('the difference between policies', () => {
  it.each(Object.keys(STATED).filter((name) => name !== 'rule'))(
    'includes a rule with another %s',
    (name) => {
      expect(compareRules(rules({}), rules({ [name]: 'another' }))).toEqual({
        added: [],
        changed: ['small'],
        removed: [],
      });
    },
  );

  it('includes a rule that replaces another', () => {
    expect(compareRules(rules({}), rules({ rule: 'large' }))).toEqual({
      added: ['large'],
      changed: [],
      removed: ['small'],
    });
  });

  it('is empty for the same rules', () => {
    expect(compareRules(rules({}), rules({}))).toEqual({ added: [], changed: [], removed: [] });
  });
});
