import type { RpcCall } from '@supplier/lib/rpc/rpc-server';
import { Status } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { runBatch } from './run-batch.ts';

const log = { error() {}, warn() {}, info() {} } as unknown as Parameters<typeof runBatch>[0]['log'];
const items = Array.from({ length: 20 }, (_, number) => ({ submissionId: `${number}` }));

function callUntil(caller: AbortController): RpcCall {
  const method = SubmissionService.method.decideSubmissions;
  return { method, signal: caller.signal } as unknown as RpcCall;
}

it('a batch starts no further items after its caller disconnects, and finishes those in progress', async () => {
  const caller = new AbortController();
  const [started, ended]: [string[], string[]] = [[], []];
  const batch = runBatch({ log }, 'decisions', items, callUntil(caller), async ({ submissionId }) => {
    started.push(submissionId);
    if (started.length === 6) caller.abort(new Error('hung up'));
    await Promise.resolve();
    ended.push(submissionId);
    return { status: Status.ACCEPTED };
  });
  await expect(batch).rejects.toThrow('hung up');
  expect(started).toHaveLength(6);
  expect(ended).toHaveLength(6);
});

it('a batch processes at most four items concurrently', async () => {
  let [inProgress, most] = [0, 0];
  await runBatch({ log }, 'decisions', items, callUntil(new AbortController()), async () => {
    inProgress += 1;
    most = Math.max(most, inProgress);
    await Promise.resolve();
    inProgress -= 1;
    return {};
  });
  expect(most).toBe(4);
});
