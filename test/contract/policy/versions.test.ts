import { randomUUID } from 'node:crypto';
import { create, type DescMessage, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import {
  ActivatePolicyRequestSchema,
  GetPolicyRequestSchema,
  type GetPolicyResponse,
  type Policy,
  PolicyKind,
  PolicyService,
  StorePolicyRequestSchema,
} from '@supplier/proto/submission/v1/policies';
import { enquiry } from '../../harness/enquiries.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { staff } from '../../harness/rpc.ts';
import { decided, supplier } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const kind = PolicyKind.DECISION;
const tokenOf = (role: string) => token({ roles: [role], audience: 'submission', subject: 'policy-test' });

/** Makes a call with another team's client. */
const call = <Schema extends DescMessage>(
  method: string,
  schema: Schema,
  request: MessageInitShape<Schema>,
  role = 'staff:admin',
) =>
  grpcCall(
    'submission',
    PolicyService,
    method,
    create(schema, request) as MessageShape<Schema>,
    tokenOf(role),
  );

const inForce = async () =>
  (await call('GetPolicy', GetPolicyRequestSchema, { kind }, 'staff:viewer')).reply as GetPolicyResponse;

/** Returns the active policy under a new version that also rejects submissions of the given campaign. */
async function rejectingCampaign(name: string) {
  const { text, policy } = await inForce();
  const parsed = JSON.parse(text);
  const version = `test-${randomUUID()}`;
  const rule = {
    rule: 'campaign-of-a-test',
    when: `enquiry.attribution.campaign == "${name}"`,
    outcome: 'rejected',
    reason: 'A test wants it.',
  };
  return {
    version,
    before: policy?.version ?? '',
    text: JSON.stringify({ version, rules: [rule, ...parsed.rules] }),
  };
}

const store = (text: string) =>
  call('StorePolicy', StorePolicyRequestSchema, { kind, text, note: 'of a test' });
const activate = (version: string) =>
  call('ActivatePolicy', ActivatePolicyRequestSchema, { kind, version, purpose: 'a test asks for it' });

describe('decision policy versions', () => {
  it('are activated while submissions are decided: the next one uses the new version, and the old one after a rollback', async () => {
    const campaign = `policy-${randomUUID()}`;
    const { version, before, text } = await rejectingCampaign(campaign);
    const stored = await store(text);
    expect([stored.code, (stored.reply as Policy).active]).toEqual([status.OK, false]);
    const api = supplier('alpha');
    const decidedUnder = (wanted: string) =>
      // Other tests activate versions, too.
      waitFor(`a lead to be decided by ${wanted}`, async () => {
        expect((await activate(wanted)).code).toBe(status.OK);
        const submitted = await decided(api, enquiry({ attribution: { source: 'test', campaign } }));
        const seen = await policyOf(submitted.submission_id);
        if (seen !== wanted) throw new NotYet(seen);
        return submitted.status;
      });
    expect(await decidedUnder(version)).toBe('rejected');
    expect(await decidedUnder(before)).toBe('accepted');
  });
});

/** Returns the policy version that decided a submission. */
async function policyOf(submissionId: string): Promise<string> {
  const { entries } = await staff.submission().getTimeline({ submissionId });
  const decision = entries.find(({ what }) => what.case === 'decided')?.what.value;
  return decision && 'policyVersion' in decision ? decision.policyVersion : '';
}
