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
  ValidatePolicyRequestSchema,
  type ValidatePolicyResponse,
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

  it('are refused with each violation, by rule and place, and are not stored', async () => {
    const { text, version } = await rejectingCampaign('nobody');
    const wrong = text.replace('enquiry.attribution.campaign ==', 'facts.duplicate && enquiry.campaign ==');
    const validated = await call(
      'ValidatePolicy',
      ValidatePolicyRequestSchema,
      { kind, text: wrong },
      'staff:operator',
    );
    expect((validated.reply as ValidatePolicyResponse).violations).toMatchObject([
      {
        rule: 'campaign-of-a-test',
        place: 'rule 1, condition',
        message: 'Enquiry has no field "campaign".',
      },
    ]);
    expect((await store(wrong)).code).toBe(status.INVALID_ARGUMENT);
    const read = await call('GetPolicy', GetPolicyRequestSchema, { kind, version });
    expect(read.code).toBe(status.NOT_FOUND);
    expect((await activate(version)).code).toBe(status.NOT_FOUND);
  });

  it('are immutable: another text of a stored version is refused, and the same text returns the same response', async () => {
    const { text } = await rejectingCampaign('nobody');
    const first = await store(text);
    expect(await store(text)).toEqual(first);
    expect((await store(text.replace('A test wants it.', 'It was not wanted.'))).code).toBe(
      status.ALREADY_EXISTS,
    );
  });

  it.each(['staff:viewer', 'staff:operator', 'staff:billing', 'staff:privacy'])(
    'can be neither stored nor activated by %s',
    async (role) => {
      const { text, before } = await rejectingCampaign('nobody');
      const storing = { kind, text, note: 'not allowed' };
      expect((await call('StorePolicy', StorePolicyRequestSchema, storing, role)).code).toBe(
        status.PERMISSION_DENIED,
      );
      const activating = { kind, version: before, purpose: 'not allowed' };
      expect((await call('ActivatePolicy', ActivatePolicyRequestSchema, activating, role)).code).toBe(
        status.PERMISSION_DENIED,
      );
    },
  );
});

/** Returns the policy version that decided a submission. */
async function policyOf(submissionId: string): Promise<string> {
  const { entries } = await staff.submission().getTimeline({ submissionId });
  const decision = entries.find(({ what }) => what.case === 'decided')?.what.value;
  return decision && 'policyVersion' in decision ? decision.policyVersion : '';
}
