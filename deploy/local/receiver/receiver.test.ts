import { createHmac } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createEventLog } from './event-log.ts';
import { eventsEndpoint } from './events-endpoint.ts';
import { createRespondControl } from './respond-control.ts';
import { webhookEndpoint } from './webhook-endpoint.ts';

const SECRET = 'whsec_test';
const events = createEventLog({ events: 100, characters: 1_000_000 });
const control = createRespondControl();
const servers: Server[] = [];
let endpoint = '';
let controls = '';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const secretsOf = (supplier: string) => (supplier === 'alpha' ? [SECRET] : []);
  endpoint = await serve(webhookEndpoint({ events, control, secretsOf }));
  controls = await serve(eventsEndpoint({ events, control, suppliers: ['alpha'] }));
});

afterAll(() => {
  for (const server of servers) server.close().closeAllConnections();
});

function deliver(path: string, body: string, secret = SECRET): Promise<Response> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const headers = { 'svc-webhook-timestamp': timestamp, 'svc-webhook-signature': `v1=${signature}` };
  return fetch(endpoint + path, { method: 'POST', body, headers });
}

const listed = async (query = '') => (await fetch(`${controls}/events${query}`)).json();

describe('the receiver', () => {
  it('accepts a signed event and shows it as it came', async () => {
    expect((await deliver('/alpha/production', '{"a":"é"}')).status).toBe(204);
    expect(await listed()).toMatchObject([
      { supplier: 'alpha', environment: 'production', rawBody: '{"a":"é"}', verified: true },
    ]);
  });

  it('refuses an event with a wrong signature, or for a supplier without a secret, and shows it as unverified', async () => {
    const since = new Date().toISOString();
    expect((await deliver('/alpha/sandbox', '{}', 'whsec_wrong')).status).toBe(401);
    expect((await deliver('/nobody/sandbox', '{}')).status).toBe(401);
    expect(await listed(`?since=${since}`)).toMatchObject([{ verified: false }, { verified: false }]);
  });

  it('answers as the tester orders, and keeps those events too', async () => {
    const ordered = JSON.stringify({ supplier: 'alpha', respond: { status: 500, times: 1 } });
    expect((await fetch(`${controls}/events`, { method: 'POST', body: ordered })).status).toBe(200);
    const since = new Date().toISOString();
    expect((await deliver('/alpha/sandbox', '{"n":1}')).status).toBe(500);
    expect((await deliver('/alpha/sandbox', '{"n":1}')).status).toBe(204);
    expect(await listed(`?supplier=alpha&since=${since}`)).toHaveLength(2);
  });

  it('refuses bodies above 256 KiB and paths that are no endpoint', async () => {
    expect((await deliver('/alpha/sandbox', 'x'.repeat(256 * 1024 + 1))).status).toBe(413);
    expect((await deliver('/alpha/staging', '{}')).status).toBe(404);
    expect((await fetch(`${endpoint}/alpha/sandbox`)).status).toBe(404);
  });

  it.each(['?since=yesterday', '?suplier=alpha', '?supplier=alpha&supplier=beta'])(
    'refuses the filter %s',
    async (query) => {
      expect((await fetch(`${controls}/events${query}`)).status).toBe(400);
    },
  );

  it('refuses an order that is none', async () => {
    expect((await fetch(`${controls}/events`, { method: 'POST', body: 'fail please' })).status).toBe(400);
  });
});
