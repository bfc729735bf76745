import { spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { localCertificates } from '../identity/certificates.ts';
import { answersReady } from '../services/answers-ready.ts';
import { nodeRuntime } from '../services/node-runtime.ts';
import { portClaims } from '../state/port-claims.ts';
import { choosePorts } from '../state/ports.ts';
import { stateFolder } from '../state/state-folder.ts';
import { waitUntil } from '../wait-until.ts';
import { receiverProgram } from './program.ts';
import { createReceiver, type ReceivedEvent, type ReceiverOptions } from './receiver.ts';

const SECRET = 'whsec_test';
const servers: Server[] = [];
let endpoint = '';
let controls = '';

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function open(max: ReceiverOptions['max']) {
  const secretOf = (supplier: string) => (supplier === 'alpha' ? SECRET : undefined);
  const { webhooks, control } = createReceiver({ suppliers: ['alpha', 'beta'], secretOf, max });
  endpoint = await serve(webhooks);
  controls = await serve(control);
}
beforeEach(() => open({ events: 100, bytes: 1_000_000 }));
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

async function deliver(path: string, body: string, secret = SECRET): Promise<number> {
  const timestamp = String(Math.floor(Date.now() / 1000));
  const signature = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  const headers = { 'svc-webhook-timestamp': timestamp, 'svc-webhook-signature': `v1=${signature}` };
  return (await fetch(endpoint + path, { method: 'POST', body, headers })).status;
}

const listed = async (query = '') =>
  (await (await fetch(`${controls}/events${query}`)).json()) as ReceivedEvent[];
const bodies = async (query = '') => (await listed(query)).map(({ rawBody }) => rawBody);
const order = async (value: unknown) =>
  (await fetch(`${controls}/events`, { method: 'POST', body: JSON.stringify(value) })).status;

it('the receiver accepts a signed event and lists it unchanged', async () => {
  expect(await deliver('/alpha/production', '{"a":"é"}')).toBe(204);
  expect(await listed()).toMatchObject([
    { supplier: 'alpha', environment: 'production', rawBody: '{"a":"é"}', verified: true },
  ]);
});

it('the receiver refuses an event with a wrong signature or without a secret of its supplier, and lists it as unverified', async () => {
  expect(await deliver('/alpha/sandbox', '{}', 'whsec_wrong')).toBe(401);
  expect(await deliver('/nobody/sandbox', '{}')).toBe(401);
  expect(await listed()).toMatchObject([{ verified: false }, { verified: false }]);
});

it('the receiver lists events in order of arrival, by supplier and from an inclusive time', async () => {
  await deliver('/alpha/sandbox', '1');
  await deliver('/beta/sandbox', '2');
  await deliver('/alpha/sandbox', '3');
  const receivedAt = (await listed())[1]?.receivedAt;
  expect(await bodies()).toEqual(['1', '2', '3']);
  expect(await bodies('?supplier=alpha')).toEqual(['1', '3']);
  expect(await bodies(`?since=${receivedAt}`)).toEqual(expect.arrayContaining(['2', '3']));
  expect(await bodies(`?since=${new Date(Date.now() + 60_000).toISOString()}`)).toEqual([]);
});

it('the receiver keeps only the latest events, within limits on number and size', async () => {
  await open({ events: 3, bytes: 10_000 });
  for (const body of ['1', '2', '3', '4']) await deliver('/alpha/sandbox', body);
  expect(await bodies()).toEqual(['2', '3', '4']);
  const long = 'x'.repeat(8_700);
  await deliver('/alpha/sandbox', long);
  expect(await bodies()).toEqual(['4', long]);
});

it('the receiver returns a requested response the requested number of times, only to that supplier', async () => {
  expect(await order({ supplier: 'alpha', respond: { status: 500, times: 2 } })).toBe(200);
  expect(await deliver('/beta/sandbox', '{}')).toBe(401);
  expect(await deliver('/alpha/sandbox', '{}')).toBe(500);
  expect(await deliver('/alpha/sandbox', '{}')).toBe(500);
  expect(await deliver('/alpha/sandbox', '{}')).toBe(204);
  expect(await listed('?supplier=alpha')).toHaveLength(3);
});

it('the receiver returns the status and waits the delay in its URL', async () => {
  const began = performance.now();
  expect(await deliver('/nobody/sandbox?status=204&delay_ms=150', '{}')).toBe(204);
  expect(performance.now() - began).toBeGreaterThanOrEqual(149);
  expect(await deliver('/alpha/sandbox?status=503', '{}')).toBe(503);
  expect(await deliver('/alpha/sandbox?status=99', '{}')).toBe(204);
});

it('the receiver replaces an earlier requested response, and removes it with 0 times', async () => {
  await order({ supplier: 'alpha', respond: { status: 500, times: 9 } });
  await order({ supplier: 'alpha', respond: { status: 503, times: 9 } });
  expect(await deliver('/alpha/sandbox', '{}')).toBe(503);
  await order({ supplier: 'alpha', respond: { status: 503, times: 0 } });
  expect(await deliver('/alpha/sandbox', '{}')).toBe(204);
});

it('the receiver refuses bodies above 256 KiB and unknown paths', async () => {
  expect(await deliver('/alpha/sandbox', 'x'.repeat(256 * 1024 + 1))).toBe(413);
  expect(await deliver('/alpha/staging', '{}')).toBe(404);
  expect((await fetch(`${endpoint}/alpha/sandbox`)).status).toBe(404);
});

it.each(['?since=yesterday', '?suplier=alpha', '?supplier=alpha&supplier=beta'])(
  'the receiver refuses the filter %s',
  async (query) => {
    expect((await fetch(`${controls}/events${query}`)).status).toBe(400);
  },
);

it.each([
  ['a string', 'fail please'],
  ['a list', []],
  ['an unknown supplier', { supplier: 'gamma', respond: { status: 500, times: 1 } }],
  ['no response', { supplier: 'alpha' }],
  ['an interim status', { supplier: 'alpha', respond: { status: 100, times: 1 } }],
  ['a status as a string', { supplier: 'alpha', respond: { status: '500', times: 1 } }],
  ['a negative number of times', { supplier: 'alpha', respond: { status: 500, times: -1 } }],
  ['a fractional number of times', { supplier: 'alpha', respond: { status: 500, times: 1.5 } }],
  ['an unknown setting', { supplier: 'alpha', respond: { status: 500, times: 1, delay: 3 } }],
])('the receiver refuses %s as a requested response', async (_what, value) => {
  expect(await order(value)).toBe(400);
});

describe('the receiver’s process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'receiver-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('serves several clients that list all of 13,000 events at the same time', async () => {
    const checkout = join(import.meta.dirname, '../../..');
    const claims = portClaims();
    const ports = await choosePorts(
      { receiver: 21_843, receiverEvents: 21_844, login: 21_845, clamd: 21_846 },
      {},
      claims.claim,
    );
    const state = stateFolder(folder, checkout);
    const certificates = await localCertificates(state.certificates);
    const { command, args, env, cwd } = receiverProgram({
      ...{ state, node: nodeRuntime(checkout), ports, certificates, suppliers: ['alpha'] },
    });
    const receiver = spawn(command, args, { env, cwd, stdio: ['ignore', 'inherit', 'inherit'] });
    try {
      controls = `http://127.0.0.1:${ports.receiverEvents}`;
      await waitUntil(() => answersReady(ports.receiverEvents).then((ready) => ready || undefined), {
        ...{ withinMs: 60_000, everyMs: 50 },
      });
      const agent = new Agent({ connect: { rejectUnauthorized: false }, connections: 20 });
      const body = JSON.stringify({ data: 'x'.repeat(2_000) });
      const url = `https://127.0.0.1:${ports.receiver}/alpha/sandbox?status=204`;
      const send = async () => (await request(url, { method: 'POST', body, dispatcher: agent })).body.dump();
      for (let sent = 0; sent < 13_000; sent += 100) await Promise.all(Array.from({ length: 100 }, send));
      await agent.close();
      const clients = Array.from({ length: 8 }, () => fetch(`${controls}/events`));
      const answers = await Promise.all(clients);
      for (const answer of answers) expect(await answer.json()).toHaveLength(13_000);
      expect(receiver.exitCode).toBeNull();
    } finally {
      receiver.kill('SIGKILL');
      claims.release();
    }
  });
});
