import { type EndpointId, newId } from '@supplier/lib/text/ids';
import {
  ANSWER_MS,
  guardedClientTests,
  postTo,
  resolvingTo,
  STATUS_MS,
} from '../../testing/guarded-client-tests.ts';
import { HOSTILE_RECEIVERS, type HostileReceiver, HUGE_BYTES } from '../../testing/hostile-receivers.ts';
import { httpsReceiver, tcpReceiver, tlsReceiver, trap } from '../../testing/receivers.ts';
import type { GuardedClient, PostResult } from './index.ts';

const { authority, credentials, clientWith, clientWithItsOwnLimits, receiving } = guardedClientTests();

/** More than a socket's own buffers may hold when the other side stops reading. */
const IN_FLIGHT_BYTES = 8_000_000;
/** How much later than its limit an attempt may end on a busy machine. */
const SLACK_MS = 5_000;
const SHORT = { statusMs: STATUS_MS, answerMs: ANSWER_MS };
/** For receivers detected by what they send: on a busy machine, the timeout must not come first. */
const UNHURRIED = { statusMs: 20_000, answerMs: ANSWER_MS };

const started = (hostile: HostileReceiver) =>
  receiving(hostile.start({ authority: authority(), credentials: credentials() }));
const named = (does: string): HostileReceiver => {
  const found = HOSTILE_RECEIVERS.find((hostile) => hostile.does === does);
  if (!found) throw new Error(`there is no receiver that ${does}`);
  return found;
};

async function timed(url: string, client: GuardedClient) {
  const before = performance.now();
  const result = await postTo(client, url);
  return { result, ms: performance.now() - before };
}

/** When the status line arrived, in milliseconds. */
const timeOfStatus = ({ dnsMs = 0, connectMs = 0, tlsMs = 0, statusMs }: PostResult) =>
  statusMs && dnsMs + connectMs + tlsMs + statusMs;

describe('receiver that', () => {
  it.each(HOSTILE_RECEIVERS.map((hostile) => [hostile.does, hostile] as const))(
    '%s gets one attempt, which ends in time with the correct result',
    async (_does, hostile) => {
      const receiver = await started(hostile);
      const { ends, orEnds = ends.error } = hostile;
      const bounds = ends.error === 'timeout' ? SHORT : UNHURRIED;
      const { result, ms } = await timed(`https://127.0.0.1:${receiver.port}/`, clientWith(bounds));
      expect([ends.error, orEnds]).toContain(result.error);
      expect(result).toMatchObject({ statusCode: ends.statusCode, resolvedIp: '127.0.0.1' });
      expect(ms).toBeLessThan((timeOfStatus(result) ?? bounds.statusMs) + ANSWER_MS + SLACK_MS);
      if (ends.error === 'timeout') expect(ms).toBeGreaterThanOrEqual(STATUS_MS - 5);
      expect(receiver.connections()).toBeLessThanOrEqual(2);
      expect(receiver.sentBytes()).toBeLessThan(IN_FLIGHT_BYTES);
      expect(result.answerHead.length).toBeLessThanOrEqual(1_024);
    },
  );
});

describe('large response', () => {
  it('uses no memory: twenty responses of 100 MB', async () => {
    const receiver = await started(named('returns 200 and sends 100 MB'));
    const client = clientWith();
    const url = `https://127.0.0.1:${receiver.port}/`;
    for (let warmUp = 0; warmUp < 3; warmUp += 1) await postTo(client, url);
    const before = process.memoryUsage().rss;
    for (let round = 0; round < 20; round += 1) {
      expect(await postTo(client, url)).toMatchObject({ error: undefined, statusCode: 200 });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(HUGE_BYTES / 2);
    expect(receiver.sentBytes()).toBeLessThan(23 * IN_FLIGHT_BYTES);
  });

  it('is kept as received: a gzip bomb is not inflated', async () => {
    const receiver = await started(named('returns 200 and sends a gzip bomb'));
    const { answerHead } = await postTo(clientWith(), `https://127.0.0.1:${receiver.port}/`);
    expect(Buffer.from(answerHead.subarray(0, 2))).toEqual(Buffer.from([0x1f, 0x8b]));
  });
});

describe('attempt that ends in the handshake', () => {
  it.each(['never answers the handshake', 'answers the handshake in plain HTTP'])(
    'reports its progress with a receiver that %s',
    async (does) => {
      const receiver = await started(named(does));
      const client = clientWith({ ...SHORT, resolve: resolvingTo('127.0.0.1') });
      expect(await postTo(client, `https://receiver.test:${receiver.port}/`)).toMatchObject({
        dnsMs: expect.any(Number),
        connectMs: expect.any(Number),
        tlsMs: undefined,
        statusMs: undefined,
        resolvedIp: '127.0.0.1',
        tlsVersion: undefined,
      });
    },
  );
});

describe('receiver that sends an extra response', () => {
  it('cannot answer the next attempt in advance', async () => {
    const requests: number[] = [];
    const receiver = await receiving(
      tlsReceiver(credentials(), (socket) => {
        const connection = receiver.connections();
        socket.on('data', () => {
          requests.push(connection);
          const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
          socket.write(connection === 1 ? answer + answer : 'HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n');
        });
      }),
    );
    const client = clientWith();
    const to = { endpointId: newId<EndpointId>(), url: `https://127.0.0.1:${receiver.port}/` };
    expect(await postTo(client, to.url, to.endpointId)).toMatchObject({ statusCode: 200 });
    expect(await postTo(client, to.url, to.endpointId)).toMatchObject({ error: 'status', statusCode: 503 });
    expect(requests).toEqual([1, 2]);
  });
});

describe('receiver that redirects to an internal address', () => {
  it.each([301, 302, 303, 307, 308])('causes no connection there with a %i', async (code) => {
    const internal = await receiving(trap({ host: '127.0.0.2' }));
    const { port } = await receiving(
      httpsReceiver(credentials(), (_request, response) => {
        response.writeHead(code, { Location: `https://127.0.0.2:${internal.port}/` }).end();
      }),
    );
    const result = await postTo(clientWith(), `https://127.0.0.1:${port}/`);
    expect(result).toMatchObject({ error: 'status', statusCode: code });
    expect(internal.connections()).toBe(0);
  });
});

describe('limits of the contract', () => {
  it('are ten seconds up to the status line and two for the rest by default', async () => {
    const silent = await receiving(tlsReceiver(credentials(), (socket) => socket.resume()));
    const mute = await receiving(tcpReceiver((socket) => socket.resume()));
    const dripping = await started(named('returns 500 and drips its body'));
    const [answer, handshake, body] = await Promise.all(
      [silent, mute, dripping].map(({ port }) =>
        timed(`https://127.0.0.1:${port}/`, clientWithItsOwnLimits()),
      ),
    );
    for (const hung of [answer, handshake]) {
      expect(hung?.result).toMatchObject({ error: 'timeout', statusCode: undefined });
      expect(hung?.ms).toBeGreaterThanOrEqual(9_990);
      expect(hung?.ms).toBeLessThan(10_000 + SLACK_MS);
    }
    expect(body?.result).toMatchObject({ error: 'status', statusCode: 500 });
    expect(body?.ms).toBeLessThan(2_000 + SLACK_MS);
  });
});
