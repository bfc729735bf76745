import {
  Code,
  ConnectError,
  createClient,
  createRouterTransport,
  type UnaryRequest,
  type UnaryResponse,
} from '@connectrpc/connect';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { boundCalls, type CallBounds } from './bound-calls.ts';

/** Creates a client whose calls end on request, in the order in which they began. */
function heldClient(bounds: CallBounds) {
  const inProgress: { end: () => void; fail: () => void }[] = [];
  const transport = createRouterTransport(
    (router) =>
      router.service(SubmissionService, {
        getJourneyLink: () =>
          new Promise((resolve, reject) => {
            inProgress.push({ end: () => resolve({}), fail: () => reject(new ConnectError('broken')) });
          }),
      }),
    { transport: { interceptors: [boundCalls(bounds)] } },
  );
  return { client: createClient(SubmissionService, transport), inProgress };
}

const turn = () => new Promise(setImmediate);
const tooMany = { code: Code.Unavailable };

describe('boundCalls', () => {
  it('runs and queues calls up to their limits and rejects the next immediately as unavailable', async () => {
    const { client, inProgress } = heldClient({ maxConcurrent: 2, maxWaiting: 1, maxWaitMs: 30_000 });
    const [first, second, third] = [1, 2, 3].map(() => client.getJourneyLink({}));
    await expect(client.getJourneyLink({})).rejects.toMatchObject(tooMany);
    await turn();
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
    const { client, inProgress } = heldClient({ maxConcurrent: 1, maxWaiting: 9, maxWaitMs: 1 });
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

  it('frees the place of a call that is cancelled while it waits', async () => {
    const { client, inProgress } = heldClient({ maxConcurrent: 1, maxWaiting: 1, maxWaitMs: 3_600_000 });
    const first = client.getJourneyLink({});
    const cancelling = new AbortController();
    const second = client.getJourneyLink({}, { signal: cancelling.signal });
    cancelling.abort();
    await expect(second).rejects.toMatchObject({ code: Code.Canceled });
    const third = client.getJourneyLink({});
    await turn();
    inProgress[0]?.end();
    await first;
    await turn();
    expect(inProgress).toHaveLength(2);
    inProgress[1]?.end();
    await third;
  });

  it('gives a slot that is freed as a waiting call is cancelled to the next call', async () => {
    const ends: (() => void)[] = [];
    const call = boundCalls({ maxConcurrent: 1, maxWaiting: 1, maxWaitMs: 3_600_000 })(
      () => new Promise((resolve) => ends.push(() => resolve({} as UnaryResponse))),
    );
    const start = (signal = new AbortController().signal) => call({ signal } as UnaryRequest);
    const first = start();
    const cancelling = new AbortController();
    const second = start(cancelling.signal);
    await turn();
    ends[0]?.();
    cancelling.abort();
    await first;
    await expect(second).rejects.toMatchObject({ code: Code.Canceled });
    void start();
    await turn();
    expect(ends).toHaveLength(2);
  });
});
