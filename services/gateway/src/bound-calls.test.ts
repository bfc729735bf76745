import { type Client, Code } from '@connectrpc/connect';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { boundCalls } from './bound-calls.ts';

/** Creates a client whose calls end on request, in the order in which they began. */
function heldClient() {
  const inProgress: { end: () => void; fail: () => void }[] = [];
  const plain = {
    getJourneyLink: () =>
      new Promise((resolve, reject) => {
        inProgress.push({ end: () => resolve({}), fail: () => reject(new Error('broken')) });
      }),
  } as unknown as Client<typeof SubmissionService>;
  return { plain, inProgress };
}

const turn = () => new Promise(setImmediate);
const tooMany = { code: Code.Unavailable };

describe('boundCalls', () => {
  it('runs and queues calls up to their limits and rejects the next immediately as unavailable', async () => {
    const { plain, inProgress } = heldClient();
    const bounds = { maxConcurrent: 2, maxWaiting: 1, maxWaitMs: 30_000 };
    const client = boundCalls(SubmissionService, plain, bounds);
    const [first, second, third] = [1, 2, 3].map(() => client.getJourneyLink({}));
    await expect(client.getJourneyLink({})).rejects.toMatchObject(tooMany);
    expect(inProgress).toHaveLength(2);
    inProgress[0]?.end();
    await first;
    await turn();
    expect(inProgress).toHaveLength(3);
    inProgress[1]?.fail();
    await expect(second).rejects.toThrow('broken');
    inProgress[2]?.end();
    await third;
    const more = [client.getJourneyLink({}), client.getJourneyLink({})];
    await turn();
    for (const { end } of inProgress) end();
    await Promise.all(more);
  });

  it('limits the waiting time, and frees the place of a call that timed out', async () => {
    const { plain, inProgress } = heldClient();
    const client = boundCalls(SubmissionService, plain, { maxConcurrent: 1, maxWaiting: 9, maxWaitMs: 1 });
    const first = client.getJourneyLink({});
    await expect(client.getJourneyLink({})).rejects.toMatchObject(tooMany);
    inProgress[0]?.end();
    await first;
    expect(inProgress).toHaveLength(1);
    const next = client.getJourneyLink({});
    await turn();
    expect(inProgress).toHaveLength(2);
    inProgress[1]?.end();
    await next;
  });
});
