import { once } from 'node:events';
import type { Server } from 'node:http';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createLogger } from '@supplier/lib/runtime/log';
import { Scope } from '@supplier/proto/common/v1/principal';
import { operations } from './operations.ts';
import { buildPages } from './pages/pages-app.ts';
import { type FakeGateway, fakeGateway, SUBMISSION_ID } from './testing/fake-gateway.ts';
import { exchangeRaw } from './testing/raw-client.ts';

const SCOPES = Object.values(Scope).filter((scope) => typeof scope === 'number');
const PART_BYTES = 30_000;
/** Delay between the parts of a slow upload. */
const SLOW_MS = 30;
const MAX_BODY_BYTES = 65_536;
const MAX_FORM_BYTES = 1_024;

let gateway: FakeGateway;
let pages: ReturnType<typeof buildPages>;
beforeAll(async () => {
  gateway = fakeGateway({ scopes: SCOPES });
  await gateway.app.listen({ host: '127.0.0.1', port: 0 });
  pages = buildPages({ ...fakeGateway().context, log: createLogger('test', 'fatal') });
  await pages.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await gateway.app.close();
  await pages.close();
});

/** Uploads a body in parts, the second half after the response; resolves to the status, and rejects when cut off. */
async function upload(server: Server, path: string, bytes: number, given: http.OutgoingHttpHeaders) {
  const { port } = server.address() as AddressInfo;
  const agent = new http.Agent({ keepAlive: true });
  const headers = { 'content-type': 'application/json', ...given };
  const call = http.request({ port, host: '127.0.0.1', method: 'POST', path, agent, headers });
  const broken = new Promise<never>((_resolve, reject) => call.on('error', reject));
  const answered = once(call, 'response') as Promise<[http.IncomingMessage]>;
  const send = async (part: number) => {
    for (let sent = 0; sent < part; sent += PART_BYTES) {
      const bytes = Buffer.alloc(Math.min(PART_BYTES, part - sent), ' ');
      await pause(SLOW_MS);
      await new Promise<void>((resolve, reject) =>
        call.write(bytes, (error) => (error ? reject(error) : resolve())),
      );
    }
  };
  const half = Math.floor(bytes / 2);
  await send(half);
  const [response] = await Promise.race([answered, broken]);
  await Promise.race([send(bytes - half), broken]);
  call.end();
  response.resume();
  await Promise.race([once(response, 'end'), broken]);
  agent.destroy();
  return response.statusCode;
}

describe('upload that is refused before its body is complete', () => {
  const bearer = () => ({ authorization: `Bearer ${gateway.bearer}` });
  it.each([
    ['without a credential', '/v1/supplier-submissions', 60_000, () => ({}), 401],
    [
      'with a wrong credential',
      '/v1/supplier-submissions',
      60_000,
      () => ({ authorization: 'Bearer x' }),
      401,
    ],
    ['to an unknown path', '/v1/nowhere', 60_000, bearer, 404],
    [
      'of another type',
      '/v1/supplier-submissions',
      60_000,
      () => ({ ...bearer(), 'content-type': 'a/b' }),
      400,
    ],
    ['that is too large', '/v1/supplier-submissions', 200_000, bearer, 413],
  ])('gets its response when sent %s', async (_what, path, bytes, headers, status) => {
    const length = { 'content-length': bytes };
    expect(await upload(gateway.app.server, path, bytes, { ...headers(), ...length })).toBe(status);
    if (status === 413) return;
    expect(await upload(gateway.app.server, path, bytes, headers())).toBe(status);
  });

  it('gets its response from the pages', async () => {
    expect(await upload(pages.server, '/nowhere', 60_000, { 'content-length': 60_000 })).toBe(404);
  });
});

describe('100 Continue', () => {
  const statuses = async (server: Server, path: string, bytes: number, headers: string[], body = '') => {
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      'Expect: 100-continue',
      ...headers,
    ];
    const text = `${[...head, `Content-Length: ${bytes}`].join('\r\n')}\r\n\r\n`;
    const answer = await exchangeRaw(server, text, body);
    return [...answer.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  };
  const json = () => [`Authorization: Bearer ${gateway.bearer}`, 'Content-Type: application/json'];
  const posts = operations
    .filter(({ method }) => method === 'POST')
    .map(({ path }) => path.replace(/:\w+/g, SUBMISSION_ID));

  it.each(posts)('invites a body of up to the maximum size for POST %s', async (path) => {
    const body = ' '.repeat(MAX_BODY_BYTES);
    const { server } = gateway.app;
    const [first, last] = await statuses(server, path, MAX_BODY_BYTES, json(), body);
    expect(first).toBe(100);
    expect(last).not.toBe(413);
    expect(await statuses(server, path, MAX_BODY_BYTES + 1, json())).toEqual([413]);
  });

  it('invites a body of up to the maximum size for POST to a page', async () => {
    const form = ['Content-Type: application/x-www-form-urlencoded'];
    const path = `/journey/${'x'.repeat(43)}`;
    const body = 'x'.repeat(MAX_FORM_BYTES);
    const [first] = await statuses(pages.server, path, MAX_FORM_BYTES, form, body);
    expect(first).toBe(100);
    expect((await statuses(pages.server, path, MAX_FORM_BYTES + 1, form))[0]).not.toBe(100);
  });
});
