import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { create, toBinary } from '@bufbuild/protobuf';
import { newId, type SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { RequestName, ThreadRequests, TriedSubmission } from './thread-requests.ts';

/** Far longer than a thread takes to start or answer, even on a busy machine. */
const MAX_WAIT_MS = 30_000;

/** Starts a thread that runs the program and is ready for requests. */
async function startProgram() {
  const thread = new Worker(new URL('./policy-program.ts', import.meta.url));
  const first = await once(thread, 'message', { signal: AbortSignal.timeout(MAX_WAIT_MS) });
  expect(first).toEqual(['listening']);
  return {
    thread,
    async ask<Name extends RequestName>(name: Name, ask: ThreadRequests[Name]['ask']): Promise<unknown> {
      thread.postMessage({ name, ask });
      const [{ answer }] = await once(thread, 'message', { signal: AbortSignal.timeout(MAX_WAIT_MS) });
      return answer;
    },
  };
}

let program: Awaited<ReturnType<typeof startProgram>>;
beforeAll(async () => {
  program = await startProgram();
});
afterAll(() => program?.thread.terminate());

/** Rejects enquiries for less than 10,000 pounds. */
const TEXT = JSON.stringify({
  version: 'v2',
  rules: [
    { rule: 'small', when: 'enquiry.funding_amount < 10000', outcome: 'rejected', reason: 'It is small.' },
    { rule: 'others', when: 'true', outcome: 'accepted', reason: 'It is not small.' },
  ],
});

const acceptedSubmission = (fundingAmount: number): TriedSubmission => ({
  id: newId<SubmissionId>(),
  capKey: 'one account',
  contactChecks: 0,
  decidedAt: new Date('2026-11-20T10:00:00Z'),
  status: Status.ACCEPTED,
  rule: 'others',
  enquiry: toBinary(EnquirySchema, create(EnquirySchema, { fundingAmount })),
  terms: toBinary(TermsSchema, create(TermsSchema)),
});

it('the policy program checks a policy of the requested kind', async () => {
  const { ask } = program;
  expect(await ask('check', { kind: PolicyKind.DECISION, text: TEXT })).toMatchObject({
    policy: { version: 'v2', rules: [{ rule: 'small' }, { rule: 'others' }] },
  });
  expect(await ask('check', { kind: PolicyKind.PRE_UNDERWRITING, text: TEXT })).toHaveProperty('violations');
});

it('the policy program decides submissions again, over several batches', async () => {
  const { ask } = program;
  expect(await ask('beginDryRun', { text: TEXT })).toMatchObject({ policy: { version: 'v2' } });
  const small = acceptedSubmission(9_999);
  expect(await ask('trySubmissions', { submissions: [acceptedSubmission(10_000), small] })).toMatchObject({
    unchanged: 1,
    changed: 1,
  });
  expect(await ask('trySubmissions', { submissions: [acceptedSubmission(20_000)] })).toMatchObject({
    unchanged: 2,
    changed: 1,
  });
  expect(await ask('endDryRun', {})).toMatchObject({
    changes: [{ fromRule: 'others', toRule: 'small', count: 1 }],
    examples: [{ id: small.id, from: Status.ACCEPTED, to: Status.REJECTED }],
  });
});

it('the policy program forgets the previous dry run when another starts', async () => {
  const { ask } = program;
  await ask('beginDryRun', { text: TEXT });
  await ask('trySubmissions', { submissions: [acceptedSubmission(10_000)] });
  await ask('beginDryRun', { text: TEXT });
  expect(await ask('trySubmissions', { submissions: [] })).toMatchObject({ unchanged: 0 });
});

it('the policy program decides no submissions with an invalid policy', async () => {
  const { thread, ask } = await startProgram();
  await ask('beginDryRun', { text: TEXT });
  expect(await ask('beginDryRun', { text: '{' })).toHaveProperty('violations');
  const failed = once(thread, 'error');
  thread.postMessage({ name: 'trySubmissions', ask: { submissions: [] } });
  expect(await failed).toEqual([expect.objectContaining({ message: expect.stringMatching(/no dry run/) })]);
});
