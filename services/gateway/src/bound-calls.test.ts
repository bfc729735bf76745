import { type Client, Code } from '@connectrpc/connect';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { boundCalls } from './bound-calls.ts';

/** Creates a client whose calls end on request, in the order in which they began. */
function heldClient() {
  const underWay: { end: () => void; fail: () => void }[] = [];
  const plain = {
    getJourneyLink: () =>
      new Promise((resolve, reject) => {
        underWay.push({ end: () => resolve({}), fail: () => reject(new Error('broken')) });
      }),
  } as unknown as Client<typeof SubmissionService>;
  return { plain, underWay };
}

const turn = () => new Promise(setImmediate);
const tooMany = { code: Code.Unavailable };

describe('boundCalls', () => {
  it('runs and queues calls up to their limits and rejects the next immediately as unavailable', async () => {
    const { plain, underWay } = heldClient();
    const bounds = { maxConcurrent: 2, maxWaiting: 1, maxWaitMs: 30_000 };
    const client = boundCalls(SubmissionService, plain, bounds);
    const [first, second, third] = [1, 2, 3].map(() => client.getJourneyLink({}));
    await expect(client.getJourneyLink({})).rejects.toMatchObject(tooMany);
    expect(underWay).toHaveLength(2);
    underWay[0]?.end();
    await first;
    await turn();
    expect(underWay).toHaveLength(3);
    underWay[1]?.fail();
    await expect(second).rejects.toThrow('broken');
    underWay[2]?.end();
    await third;
    const more = [client.getJourneyLink({}), client.getJourneyLink({})];
    await turn();
    for (const { end } of underWay) end();
    await Promise.all(more);
  });

  it('limits the waiting time, and frees the place of a call that timed out', async () => {
    const { plain, underWay } = heldClient();
    const client = boundCalls(SubmissionService, plain, { maxConcurrent: 1, maxWaiting: 9, maxWaitMs: 1 });
    const first = client.getJourneyLink({});
    await expect(client.getJourneyLink({})).rejects.toMatchObject(tooMany);
    underWay[0]?.end();
    await first;
    expect(underWay).toHaveLength(1);
    const next = client.getJourneyLink({});
    await turn();
    expect(underWay).toHaveLength(2);
    underWay[1]?.end();
    await next;
  });
});
