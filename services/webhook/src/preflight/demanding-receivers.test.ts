import { createServer } from 'node:tls';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { systemClock } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { guardedClientTests } from '../../testing/guarded-client-tests.ts';
import { tcpReceiver, tlsReceiver } from '../../testing/receivers.ts';
import { openTestService, startTestServer, type TestServer } from '../../testing/test-service.ts';
import { addressPolicy } from '../model/address-policy.ts';
import { preflights } from './preflight.ts';

const ANSWER_AFTER_MS = 9_000;
const SECOND_HANDSHAKE_AFTER_MS = 1_200;

const { authority, receiving } = guardedClientTests();
let server: TestServer;
afterAll(() => server?.close());
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  const policy = addressPolicy(['127.0.0.0/8']);
  const preflight = preflights({ policy, extraCa: authority().pem, clock: systemClock });
  server = await startTestServer(service.context, preflight);
});

const preflight = (port: number) =>
  server.as('ada', 'staff:admin').preflightEndpoint(
    {
      accountId: newId<AccountId>(),
      environment: Environment.SANDBOX,
      url: `https://127.0.0.1:${port}/`,
    },
    { timeoutMs: 20_000 },
  );

it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'preflight says that a client certificate is required, with %s',
  async (version) => {
    const credentials = await authority().issue({ ips: ['127.0.0.1'], valid: 'for a year' });
    const strict = { ...credentials, requestCert: true, minVersion: version, maxVersion: version };
    const receiver = await receiving(tlsReceiver(strict, (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n')));
    expect((await preflight(receiver.port)).findings).toEqual([
      expect.stringContaining('asks for a client certificate'),
    ]);
  },
);

it('preflight accepts a receiver that answers after nine seconds, even if reading its certificate is slow', async () => {
  const credentials = await authority().issue({ ips: ['127.0.0.1'], valid: 'for a year' });
  const tls = createServer(credentials, (socket) => {
    socket.on('error', () => {});
    socket.once('data', () => {
      setTimeout(() => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'), ANSWER_AFTER_MS);
    });
  });
  let connections = 0;
  const receiver = await receiving(
    tcpReceiver((socket) => {
      const afterMs = connections === 0 ? 0 : SECOND_HANDSHAKE_AFTER_MS;
      connections += 1;
      setTimeout(() => tls.emit('connection', socket), afterMs);
    }),
  );
  const report = await preflight(receiver.port);
  expect(report).toMatchObject({ ready: true, certificate: { fault: '' }, ping: { statusCode: 200 } });
  expect(report.findings).toEqual([expect.stringMatching(/^The ping took \d+\.\d seconds\. /)]);
  expect(report.ping?.statusMs).toBeGreaterThanOrEqual(ANSWER_AFTER_MS);
}, 60_000);
