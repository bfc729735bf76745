import { createHmac } from 'node:crypto';
import { RefusalCode } from '@supplier/lib/rpc/refusal';
import { eventually, forAllTests, makeTestAuthority, type TestAuthority } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import { systemClock } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import { guardedClientTests, resolvingTo } from '../../testing/guarded-client-tests.ts';
import { httpsReceiver, tlsReceiver } from '../../testing/receivers.ts';
import { openTestService, refused, startTestServer, type TestServer } from '../../testing/test-service.ts';
import type { ResolveHost } from '../guarded-client/index.ts';
import { addressPolicy } from '../model/address-policy.ts';
import { EXAMPLE_SECRET, exampleStatus } from '../model/envelope.ts';
import { fingerprintOf } from '../model/signing.ts';
import { preflights } from './preflight.ts';

const { SANDBOX, PRODUCTION } = Environment;
const STATUS_MS = 1_000;
const HERE = { ips: ['127.0.0.1'] };
const { authority, receiving } = guardedClientTests();

let server: TestServer;
let resolve: ResolveHost;
let good: { cert: string; key: string };
afterAll(() => server?.close());
const service = forAllTests(() => openTestService());
beforeAll(async () => {
  good = await authority().issue({ ips: ['127.0.0.1'], hosts: ['receiver.test'], valid: 'for a year' });
  const preflight = preflights({
    policy: addressPolicy(['127.0.0.0/8']),
    extraCa: authority().pem,
    clock: systemClock,
    resolve: (host, signal) => resolve(host, signal),
    statusMs: STATUS_MS,
  });
  server = await startTestServer(service.context, preflight);
});
beforeEach(() => {
  resolve = resolvingTo('127.0.0.1');
});
// Every preflight, with any result, records no event and no attempt.
afterEach(async () => {
  expect(await service.db.event.count()).toBe(0);
  expect(await service.db.attempt.count()).toBe(0);
  expect(await service.db.endpointHealth.count()).toBe(0);
  expect(await service.db.outbox.count()).toBe(0);
});

const admin = () => server.as('ada', 'staff:admin');

/** Runs a preflight of a URL for an account without an endpoint. */
const preflight = (url: string) =>
  admin().preflightEndpoint({ accountId: newId<AccountId>(), environment: SANDBOX, url });

async function withChain(by: TestAuthority) {
  const { cert, key } = await by.issue(HERE);
  return { cert: `${cert}\n${by.pem}`, key };
}

/** Returns the URL of a receiver that answers every request with `status`. */
async function answering(status: number, credentials = good, headers = {}) {
  const receiver = await receiving(
    httpsReceiver(credentials, (_request, response) => response.writeHead(status, headers).end('seen')),
  );
  return { receiver, url: `https://127.0.0.1:${receiver.port}/hook?x=1` };
}

describe('PreflightEndpoint', () => {
  it('posts one signed ping that resembles an event of another type, and reports the endpoint as ready', async () => {
    const requests: { url: string | undefined; headers: Record<string, unknown>; body: string }[] = [];
    const receiver = await receiving(
      httpsReceiver(good, async (request, response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of request) chunks.push(chunk as Buffer);
        requests.push({ url: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() });
        response.writeHead(204).end();
      }),
    );
    const url = `https://receiver.test:${receiver.port}/hook?x=1`;
    const { accountId, secret } = await service.createEndpoint({ url });
    const report = await admin().preflightEndpoint({ accountId, environment: SANDBOX });

    expect(report).toMatchObject({
      ready: true,
      url,
      addresses: [{ address: '127.0.0.1', admitted: true }],
      certificate: { subject: 'CN=Test receiver', issuer: 'CN=Test authority', fault: '' },
      keyFingerprint: fingerprintOf(secret),
      findings: [],
    });
    expect(report.certificate?.tlsVersion).toBe('TLSv1.3');
    expect(Number(report.certificate?.notAfter?.seconds)).toBeGreaterThan(Date.now() / 1_000 + 300 * 86_400);
    expect(Number(report.certificate?.notBefore?.seconds)).toBeLessThan(Date.now() / 1_000);
    expect(report.ping).toMatchObject({
      number: 0,
      statusCode: 204,
      errorClass: '',
      keyFingerprint: fingerprintOf(secret),
      resolvedIp: '127.0.0.1',
      tlsVersion: 'TLSv1.3',
    });
    for (const ms of [
      report.ping?.dnsMs,
      report.ping?.connectMs,
      report.ping?.tlsMs,
      report.ping?.statusMs,
    ]) {
      expect(ms).toBeGreaterThanOrEqual(0);
    }

    expect(requests).toHaveLength(1);
    const [{ url: path, headers, body } = { url: '', headers: {}, body: '' }] = requests;
    expect(path).toBe('/hook?x=1');
    const envelope = JSON.parse(body);
    expect(Object.keys(envelope)).toEqual(['id', 'type', 'occurred_at', 'data']);
    expect(envelope).toMatchObject({ type: 'endpoint.preflight', data: exampleStatus });
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'Svc-Webhooks/1',
      'svc-webhook-id': envelope.id,
    });
    const timestamp = headers['svc-webhook-timestamp'];
    expect(Math.abs(Date.now() / 1_000 - Number(timestamp))).toBeLessThan(5);
    const mac = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
    expect(headers['svc-webhook-signature']).toBe(`v1=${mac}`);
  });

  it("tests another URL instead of the endpoint's, which stays unchanged", async () => {
    const { url } = await answering(200);
    const { accountId, secret } = await service.createEndpoint({ url: 'https://current.example.com/' });
    const report = await admin().preflightEndpoint({ accountId, environment: SANDBOX, url });
    expect(report).toMatchObject({ ready: true, url, keyFingerprint: fingerprintOf(secret) });
    expect(Buffer.from(report.ping?.answerHead ?? []).toString()).toBe('seen');
    const kept = await admin().getEndpoint({ accountId, environment: SANDBOX });
    expect(kept.url).toBe('https://current.example.com/');
  });

  it('signs with the published example secret when there is no endpoint yet', async () => {
    const { url } = await answering(200);
    expect(await preflight(url)).toMatchObject({
      ready: true,
      keyFingerprint: fingerprintOf(EXAMPLE_SECRET),
    });
    expect(EXAMPLE_SECRET).toBe(
      `whsec_${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url')}`,
    );
  });

  it('sends a production submission to a production endpoint', async () => {
    let body = '';
    const receiver = httpsReceiver(good, async (request, response) => {
      for await (const chunk of request) body += String(chunk);
      response.end();
    });
    const target = { environment: PRODUCTION, url: `https://127.0.0.1:${(await receiving(receiver)).port}/` };
    await admin().preflightEndpoint({ accountId: newId<AccountId>(), ...target });
    expect(JSON.parse(body)).toMatchObject({ data: { environment: 'production' } });
  });

  it('reports that the endpoint is disabled', async () => {
    const { url } = await answering(200);
    const { accountId, endpointId } = await service.createEndpoint({ url });
    await service.db.endpoint.update({ where: { id: endpointId }, data: { enabled: false } });
    const { findings } = await admin().preflightEndpoint({ accountId, environment: SANDBOX });
    expect(findings).toEqual(['The endpoint is disabled. Nothing is recorded or sent until it is enabled.']);
  });

  it.each([
    ['has expired', async () => authority().issue({ ips: ['127.0.0.1'], valid: 'until yesterday' })],
    ['is not valid yet', async () => authority().issue({ ips: ['127.0.0.1'], valid: 'from tomorrow' })],
    [
      'is for a different host',
      async () => authority().issue({ hosts: ['other.test'], valid: 'for a year' }),
    ],
    ['has an invalid signature', async () => (await makeTestAuthority()).issue(HERE)],
    ['is not from a trusted authority', async () => (await makeTestAuthority('Other')).issue(HERE)],
    [
      'has a chain that ends in an authority that is not trusted',
      async () => withChain(await makeTestAuthority('Other')),
    ],
    ['is self-signed', async () => authority().selfSigned({ ips: ['127.0.0.1'] })],
  ])('shows a certificate that %s, and sends nothing to its server', async (fault, issue) => {
    let requests = 0;
    const receiver = await receiving(
      httpsReceiver(await issue(), (_request, response) => {
        requests += 1;
        response.end();
      }),
    );
    const report = await preflight(`https://127.0.0.1:${receiver.port}/`);
    expect(report).toMatchObject({
      ready: false,
      certificate: { subject: 'CN=Test receiver', fault: expect.stringContaining(fault) },
      ping: { errorClass: 'tls', resolvedIp: '127.0.0.1' },
    });
    expect(report.ping?.statusCode).toBeUndefined();
    expect(report.findings).toEqual([expect.stringContaining(`The certificate ${fault}`)]);
    expect(requests).toBe(0);
  });

  it('connects to nothing when one of the addresses is refused, and names that address', async () => {
    const { receiver } = await answering(200);
    resolve = resolvingTo('127.0.0.1', '10.0.0.1');
    const report = await preflight(`https://receiver.test:${receiver.port}/`);
    expect(report).toMatchObject({
      ready: false,
      addresses: [
        { address: '127.0.0.1', admitted: true },
        { address: '10.0.0.1', admitted: false },
      ],
      ping: { errorClass: 'address_refused', resolvedIp: '10.0.0.1' },
      findings: ['Events cannot be sent to 10.0.0.1, because it is not a public address.'],
    });
    expect(report.certificate).toBeUndefined();
    expect(receiver.connections()).toBe(0);
  });

  it('connects only to addresses that it has checked, even if the name resolves differently afterwards', async () => {
    const { receiver } = await answering(200, await authority().issue({ hosts: ['other.test'] }));
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    resolve = async () => answers.shift() ?? [];
    const report = await preflight(`https://receiver.test:${receiver.port}/`);
    expect(report.certificate?.fault).toBe('is for a different host');
    expect(report.addresses).toMatchObject([{ address: '127.0.0.1' }]);
    expect(answers).toHaveLength(1);
  });

  it.each([
    ['http://hooks.example.com/', 'The URL must begin with https:// and a host.'],
    ['https://ada:sesame@hooks.example.com/', 'The URL must not contain credentials.'],
    ['https://10.0.0.1/', 'The URL must have a public address.'],
  ])(
    'reports %s as invalid, connects to nothing, and keeps the URL out of the audit log',
    async (url, finding) => {
      const accountId = newId<AccountId>();
      const report = await admin().preflightEndpoint({ accountId, environment: SANDBOX, url });
      expect(report).toMatchObject({ ready: false, url, findings: expect.arrayContaining([finding]) });
      expect(report.ping).toBeUndefined();
      const [line] = await service.db.auditEntry.findMany({ where: { accountId } });
      expect(line).toMatchObject({ action: 'PreflightEndpoint', after: { url: '' } });
    },
  );

  it.each([
    [302, 'The receiver responded with a redirect (302). Redirects are not followed and count as failures.'],
    [500, 'The receiver responded with status 500 instead of 2xx.'],
    [404, 'The receiver responded with status 404 instead of 2xx.'],
  ])('is not ready when the receiver answers %i', async (status, finding) => {
    const trap = await answering(200);
    const { url } = await answering(status, good, { Location: trap.url });
    expect(await preflight(url)).toMatchObject({
      ready: false,
      certificate: { fault: '' },
      ping: { statusCode: status, errorClass: 'status' },
      findings: [finding],
    });
    expect(trap.receiver.connections()).toBe(0);
  });

  it('ends within its time limit when the receiver hangs after the handshake, and still shows the certificate', async () => {
    const { port } = await receiving(tlsReceiver(good, (socket) => socket.resume()));
    const started = performance.now();
    expect(await preflight(`https://127.0.0.1:${port}/`)).toMatchObject({
      ready: false,
      certificate: { fault: '' },
      ping: { errorClass: 'timeout' },
      findings: ['The receiver did not respond in time.'],
    });
    expect(performance.now() - started).toBeLessThan(STATUS_MS + 10_000);
  });

  it('is recorded in the audit log without a secret before anything is sent', async () => {
    const accountId = newId<AccountId>();
    let linesThen = -1;
    const { port } = await receiving(
      httpsReceiver(good, async (_request, response) => {
        linesThen = await service.db.auditEntry.count({ where: { accountId } });
        response.end();
      }),
    );
    const url = `https://127.0.0.1:${port}/`;
    await admin().preflightEndpoint({ accountId, environment: SANDBOX, url });
    expect(linesThen).toBe(1);
    expect(await service.db.auditEntry.findMany({ where: { accountId } })).toMatchObject([
      {
        actor: 'ada',
        action: 'PreflightEndpoint',
        after: { environment: 'sandbox', url, keyFingerprint: fingerprintOf(EXAMPLE_SECRET) },
      },
    ]);
  });

  it('refuses a fifth concurrent call without connecting, and accepts calls again when one has ended', async () => {
    const requests: (() => void)[] = [];
    const receiver = await receiving(
      httpsReceiver(good, (_request, response) => requests.push(() => response.end())),
    );
    const url = `https://127.0.0.1:${receiver.port}/`;
    const four = Array.from({ length: 4 }, () => preflight(url));
    await eventually('four pings have arrived', () => requests.length === 4);
    const accountId = newId<AccountId>();
    const { refusal, error } = await refused(
      server.as('bea', 'staff:admin').preflightEndpoint({ accountId, environment: SANDBOX, url }),
    );
    expect(refusal?.code).toBe(RefusalCode.SERVICE_UNAVAILABLE);
    // Other calls, by the same caller or others, do not wait for preflights.
    await admin().listEndpoints({});
    expect(String(error)).toContain('Four preflights are already in progress');
    expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(0);
    for (const answer of requests) answer();
    // On a busy machine a ping may have taken too long to be ready.
    await Promise.all(four);
    const fifth = preflight(url);
    await eventually('the fifth has arrived', () => requests.length === 5);
    requests.at(-1)?.();
    await fifth;
  });

  it('requires an endpoint or a URL', async () => {
    const accountId = newId<AccountId>();
    const { refusal } = await refused(admin().preflightEndpoint({ accountId, environment: SANDBOX }));
    expect(refusal?.code).toBe(RefusalCode.NOT_FOUND);
    expect(await service.db.auditEntry.count({ where: { accountId } })).toBe(0);
  });
});
