import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { fakeGateway } from '../../testing/fake-gateway.ts';
import { buildPages } from '../app.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'guides-'));
  mkdirSync(join(folder, 'reference'));
  mkdirSync(join(folder, 'assets'));
  write('script-hashes.json', JSON.stringify(["'sha256-abc='"]));
  write('index.html', '<p>https://sandbox.supplier.example/ and https://api.supplier.example</p>');
  write('404.html', '<p>no such page</p>');
  write('reference/createSubmission.html', '<p>create</p>');
  write('assets/app.js', 'const url = "https://sandbox.supplier.example/v1";');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const pages = (env: Record<string, string> = {}) =>
  buildPages(fakeGateway({ env }).context, pathToFileURL(`${folder}/`));

describe('the guides', () => {
  it('have addresses without an ending, and one for the whole', async () => {
    const app = pages();
    expect((await app.inject('/guides')).headers.location).toBe('/guides/');
    for (const [url, says] of [
      ['/guides/', 'sandbox'],
      ['/guides/reference/createSubmission', 'create'],
      ['/guides/reference/createSubmission?from=search', 'create'],
    ]) {
      const { statusCode, body, headers } = await app.inject(url ?? '');
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body).toContain(says);
    }
  });

  it('run the scripts that they were built with, and reach no other host', async () => {
    const policy = String((await pages().inject('/guides/')).headers['content-security-policy']).split('; ');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self' 'sha256-abc='");
    expect(policy).toContain("style-src 'self'");
    expect(policy.join()).not.toMatch(/unsafe|https?:/);
  });

  it('name the addresses of this deployment, in pages and in what pages load', async () => {
    const app = pages({
      SSS_SANDBOX_URL: 'https://api.sandbox.leads.example/',
      SSS_PRODUCTION_URL: 'https://api.leads.example',
    });
    expect((await app.inject('/guides/')).body).toBe(
      '<p>https://api.sandbox.leads.example/ and https://api.leads.example</p>',
    );
    expect((await app.inject('/guides/assets/app.js')).body).toBe(
      'const url = "https://api.sandbox.leads.example/v1";',
    );
  });

  it('say so where there is no page, and give nothing from elsewhere', async () => {
    const app = pages();
    for (const url of [
      '/guides/nowhere',
      '/guides/../package.json',
      '/guides/%2e%2e/package.json',
      '/guides/index.html/x',
    ]) {
      const { statusCode, body } = await app.inject(url);
      expect(statusCode).toBe(404);
      expect(body).not.toContain('"version"');
    }
    expect((await app.inject('/guides/nowhere')).body).toContain('no such page');
  });

  it('are not there where they were not built, and stop nothing', async () => {
    rmSync(join(folder, 'script-hashes.json'));
    expect((await pages().inject('/guides/')).statusCode).toBe(404);
    expect((await pages().inject('/docs')).statusCode).toBe(200);
  });

  it('stop the start with the name of a file that is no part of them', () => {
    write('assets/core.dump', 'x');
    expect(() => pages()).toThrow('the type of assets/core.dump is not known');
  });
});

describe('/support', () => {
  it.each([
    ['an address', 'help@leads.example', 'href="mailto:help@leads.example"'],
    ['a page', 'https://leads.example/help?a=1&b=2', 'href="https://leads.example/help?a=1&amp;b=2"'],
  ])('says whom to write to: %s', async (_what, support, link) => {
    expect((await pages({ SSS_SUPPORT: support }).inject('/support')).body).toContain(link);
  });

  it('says so where nobody is set', async () => {
    expect((await pages().inject('/support')).body).toContain('who opened your account');
  });

  it.each(['help', 'javascript:alert(1)', 'http://leads.example', 'mailto:a@b.example'])(
    'is no way to run or to reach something else: %s',
    (support) => {
      expect(() => fakeGateway({ env: { SSS_SUPPORT: support } })).toThrow('SSS_SUPPORT');
    },
  );
});
