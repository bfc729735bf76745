import { type CallOptions, type Client, Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { callOptions } from '../rpc-client/index.ts';
import { STAFF_CALL_BOUNDS } from './staff-calls.ts';

const inFlightPerPerson = 2;
const { waitingPerPerson, longPerPerson } = STAFF_CALL_BOUNDS;
const READ = 3;

let server: TestRpcServer<typeof SubmissionService>;
/** Lists now running, and the highest number so far. */
let running: number;
let most: number;
let release: () => void;
let released: Promise<void>;

beforeAll(async () => {
  server = await startTestRpcServer('submission', SubmissionService, (router) =>
    router.service(SubmissionService, {
      async listSubmissions() {
        running += 1;
        most = Math.max(most, running);
        await released;
        running -= 1;
        return {};
      },
      getSubmission: () => ({}),
      async *watchQueues(_, { signal }) {
        yield {};
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      },
    }),
  );
});
beforeEach(() => {
  [running, most] = [0, 0];
  ({ promise: released, resolve: release } = Promise.withResolvers<void>());
});
afterAll(() => server.close());

const overJson = async (subject: string) => {
  const options = { baseUrl: server.baseUrl, httpVersion: '1.1' as const, useBinaryFormat: false };
  const token = await server.tokenOf(subject, 'staff:viewer');
  return createClient(
    SubmissionService,
    createConnectTransport({
      ...options,
      interceptors: [
        (next) => (request) => {
          request.header.set('authorization', `Bearer ${token}`);
          return next(request);
        },
      ],
    }),
  );
};
/** Uses several clients, because each makes at most 32 simultaneous calls. */
function openClient(subject: string): Client<typeof SubmissionService> {
  const clients = Array.from({ length: 7 }, () => server.as(subject, 'staff:viewer'));
  let calls = 0;
  return new Proxy({} as Client<typeof SubmissionService>, {
    get: (_, name) => Reflect.get(clients[calls++ % clients.length] ?? {}, name),
  });
}
const WAYS: [string, (subject: string) => ReturnType<typeof overJson>][] = [
  ['the plain way', async (subject) => openClient(subject)],
  ['JSON', overJson],
  ['gRPC', async (subject) => server.overGrpcAs(subject, 'staff:viewer')],
];
const forSupplier = (): CallOptions =>
  callOptions({ accountId: newId(), credentialId: newId(), environment: 1, scopes: [READ], terms: {} });

describe.each(WAYS)('a member of staff with 200 simultaneous calls (%s)', (_way, clientOf) => {
  it('has a few running, gets refusals beyond the queue, and delays no other caller', async () => {
    const crowding = await clientOf('crowding');
    const refusals: ConnectError[] = [];
    const expected = 200 - inFlightPerPerson - waitingPerPerson;
    const refused = Promise.withResolvers<void>();
    const all = Promise.allSettled(
      Array.from({ length: 200 }, () =>
        crowding.listSubmissions({}).catch((error: unknown) => {
          refusals.push(ConnectError.from(error));
          if (refusals.length === expected) refused.resolve();
        }),
      ),
    );
    await refused.promise;
    expect(running).toBe(inFlightPerPerson);
    expect(new Set(refusals.map(({ code }) => Code[code]))).toEqual(new Set(['ResourceExhausted']));
    expect(refusals[0]?.rawMessage).toMatch(/^You have 66 calls in progress on this process\. Wait/);
    expect(refusals[0]?.metadata.get('retry-after')).toBe('1');

    const { getSubmission } = server.as('gateway', 'service:gateway');
    await getSubmission({ submissionId: newId() }, forSupplier());
    await (await clientOf('colleague')).getSubmission({ submissionId: newId() });
    expect(running).toBe(inFlightPerPerson);

    release();
    await all;
    expect(most).toBe(inFlightPerPerson);
    // Every place is free again.
    expect(await Promise.all([1, 2, 3].map(() => crowding.listSubmissions({})))).toHaveLength(3);
  });

  it('frees their places on disconnecting', async () => {
    const crowding = await clientOf('leaving');
    for (let round = 0; round < 2; round += 1) {
      const leaving = new AbortController();
      const calls = Array.from({ length: inFlightPerPerson + waitingPerPerson }, () =>
        crowding
          .listSubmissions({}, { signal: leaving.signal })
          .catch((error: unknown) => Code[ConnectError.from(error).code]),
      );
      while (running < inFlightPerPerson) await new Promise(setImmediate);
      leaving.abort();
      expect(new Set(await Promise.all(calls))).toEqual(new Set(['Canceled']));
      release();
      while (running > 0) await new Promise(setImmediate);
      ({ promise: released, resolve: release } = Promise.withResolvers<void>());
    }
    release();
    await crowding.listSubmissions({});
  });
});

it("the limit on a person's streams does not count Watch streams", async () => {
  const watching = server.overGrpcAs('watching', 'staff:viewer');
  const leaving = new AbortController();
  const streams = Array.from({ length: longPerPerson + 2 }, () =>
    watching.watchQueues({}, { signal: leaving.signal })[Symbol.asyncIterator](),
  );
  for (const stream of streams) expect((await stream.next()).done).toBe(false);
  leaving.abort();
});
