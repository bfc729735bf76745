import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '@supplier/lib/testing';
import { type FastifyInstance, fastify } from 'fastify';
import { serveSources } from './serve-sources.ts';

const PAGE = '<script type="module" src="/src/main.ts"></script>';

describe('a console that serves its sources', () => {
  let folder: string;
  let app: FastifyInstance;
  let url: string;
  const stopping = new AbortController();
  const write = (text: string) => writeFileSync(join(folder, 'src', 'main.ts'), `console.log('${text}');`);
  const textAt = async (path: string) => (await fetch(`${url}${path}`)).text();

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'it’s a console '));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'index.html'), PAGE);
    write('first');
    app = fastify();
    serveSources(app, pathToFileURL(`${folder}/`), stopping.signal);
    url = await app.listen({ host: '127.0.0.1', port: 0 });
  });
  afterAll(async () => {
    stopping.abort();
    await app.close();
    rmSync(folder, { recursive: true });
  });

  it('returns the page with the development client, whose scripts have the nonce of its policy', async () => {
    const response = await fetch(`${url}/submissions/some`);
    const page = await response.text();
    const policy = response.headers.get('content-security-policy');
    const [, nonce] = /script-src 'self' 'nonce-([^']+)'/.exec(policy ?? '') ?? [];
    expect(page).toContain('src="/@vite/client"');
    const nonces = page.match(/<script[^>]*>/g)?.map((tag) => /nonce="([^"]*)"/.exec(tag)?.[1]);
    expect(new Set(nonces)).toEqual(new Set([nonce]));
  });

  it('serves no other file of the machine', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'keys '));
    mkdirSync(join(folder, '.run'));
    for (const place of [outside, join(folder, '.run'), folder])
      writeFileSync(join(place, 'secret.json'), '{"key":"kept-secret"}');
    const readable = `${url}/@fs${encodeURI(folder)}/secret.json?raw`;
    expect(await (await fetch(readable)).text()).toContain('kept-secret');
    for (const file of [join(outside, 'secret.json'), join(folder, '.run', 'secret.json'), '/etc/passwd'])
      for (const query of ['', '?raw', '?url', '?import&raw', '?inline']) {
        const response = await fetch(`${url}/@fs${encodeURI(file)}${query}`);
        expect(await response.text()).not.toMatch(/kept-secret|root:/);
      }
    rmSync(outside, { recursive: true });
  });

  it('sends an edit to open pages', async () => {
    expect(await textAt('/src/main.ts')).toContain('first');
    const [, token] = /wsToken = "([^"]+)"/.exec(await textAt('/@vite/client')) ?? [];
    const page = new WebSocket(`${url.replace('http', 'ws')}/?token=${token}`, 'vite-hmr');
    const received: string[] = [];
    page.addEventListener('message', ({ data }) => received.push(JSON.parse(data).type));
    await eventually('the page is connected', () => received.includes('connected'));
    await eventually('the edit arrives', () => {
      // Again, because the first one may precede the watch.
      if (!received.includes('full-reload')) write('second');
      return received.includes('full-reload');
    });
    expect(await textAt('/src/main.ts')).toContain('second');
  });
});
