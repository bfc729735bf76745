import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { fakeGateway } from '../../testing/fake-gateway.ts';
import { buildPages } from '../pages-app.ts';

const LONG = `<p>https://sandbox.supplier.example/ and https://api.supplier.example</p>${' '.repeat(2_000)}`;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'site-'));
  for (const path of ['guides', 'guides/reference', 'guides/assets', 'guides/downloads'])
    mkdirSync(join(folder, path));
  write('script-hashes.json', JSON.stringify(["'sha256-abc='"]));
  write('index.html', '<p>home</p>');
  write('docs.html', '<p>reference</p>');
  write('support.html', '<p>SUPPORT_CONTACT</p>');
  write('404.html', '<p>no such page</p>');
  write('guides/index.html', LONG);
  write('guides/reference/createSubmission.html', '<p>create, always screening_provider</p>');
  write('guides/assets/app.js', 'const url = "https://sandbox.supplier.example/v1";');
  write(
    'guides/assets/support.js',
    'const a = "SUPPORT_CONTACT", b = \'SUPPORT_CONTACT\', c = `SUPPORT_CONTACT`;',
  );
  write('guides/downloads/all.zip', 'x'.repeat(2_000));
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const pages = (env: Record<string, string> = {}) =>
  buildPages(fakeGateway({ env }).context, pathToFileURL(`${folder}/`));

const PAGES = ['/', '/docs', '/support', '/guides/', '/guides/reference/createSubmission'];

describe('the site', () => {
  it('uses paths without a file extension', async () => {
    const app = pages();
    for (const [url, text] of [
      ['/', 'home'],
      ['/docs', 'reference'],
      ['/guides/', 'sandbox'],
      ['/guides/reference/createSubmission', 'create'],
      ['/guides/reference/createSubmission?from=search', 'create'],
    ]) {
      const { statusCode, body, headers } = await app.inject(url ?? '');
      expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
      expect(body).toContain(text);
    }
  });

  it('allows only its own scripts and connects to no other host', async () => {
    for (const url of PAGES) {
      const policy = String((await pages().inject(url)).headers['content-security-policy']).split('; ');
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("script-src 'self' 'sha256-abc='");
      expect(policy).toContain("style-src 'self'");
      expect(policy.join()).not.toMatch(/unsafe|https?:/);
    }
  });

  it("shows this deployment's addresses in pages and scripts", async () => {
    const app = pages({
      SSS_SANDBOX_URL: 'https://api.sandbox.leads.example/',
      SSS_PRODUCTION_URL: 'https://api.leads.example',
    });
    expect((await app.inject('/guides/')).body).toContain(
      '<p>https://api.sandbox.leads.example/ and https://api.leads.example</p>',
    );
    expect((await app.inject('/guides/assets/app.js')).body).toBe(
      'const url = "https://api.sandbox.leads.example/v1";',
    );
  });

  it('escapes the name of the screening provider as text', async () => {
    const app = pages({ SSS_SCREENING_PROVIDER: 'acme & <sons>' });
    const { body } = await app.inject('/guides/reference/createSubmission');
    expect(body).toBe('<p>create, always acme &amp; &lt;sons&gt;</p>');
    expect((await app.inject('/openapi.json')).body).toContain('"const":"acme & <sons>"');
  });

  it('returns its own 404 page below /guides/, and nothing from elsewhere', async () => {
    const app = pages();
    for (const url of [
      '/guides/nowhere',
      '/guides/nowhere/',
      '/guides/../package.json',
      '/guides/%2e%2e/package.json',
      '/guides/script-hashes.json',
      '/script-hashes.json',
      '/404',
    ]) {
      const { statusCode, body, headers } = await app.inject(url);
      expect([url, statusCode, headers.etag]).toEqual([url, 404, undefined]);
      expect(body).not.toContain('"version"');
    }
    expect((await app.inject('/guides/nowhere')).body).toContain('no such page');
  });

  it('is absent when it was not built, and the gateway still starts', async () => {
    rmSync(join(folder, 'script-hashes.json'));
    for (const url of ['/', '/docs', '/guides/']) expect((await pages().inject(url)).statusCode).toBe(404);
    expect((await pages().inject('/openapi.json')).statusCode).toBe(200);
  });

  it('names a file of unknown type and stops the start', () => {
    write('guides/assets/core.dump', 'x');
    expect(() => pages()).toThrow('the type of guides/assets/core.dump is not known');
  });
});

describe.each([...PAGES, '/openapi.json', '/guides/assets/app.js', '/guides/downloads/all.zip'])(
  'GET and HEAD of %s',
  (url) => {
    it('answers HEAD with the headers of GET and no body', async () => {
      const app = pages();
      for (const headers of [{}, { 'accept-encoding': 'br' }, { 'accept-encoding': 'gzip' }]) {
        const get = await app.inject({ url, headers });
        const head = await app.inject({ method: 'HEAD', url, headers });
        const shown = ({ headers: all }: typeof get) => ({ ...all, date: '', 'x-request-id': '' });
        expect([head.statusCode, head.body]).toEqual([200, '']);
        expect(shown(head)).toEqual(shown(get));
        expect(head.headers['content-length']).toBe(String(get.rawPayload.length));
      }
    });

    it('returns 304 to a reader with the current version and 200 to any other', async () => {
      const app = pages();
      const { headers } = await app.inject(url);
      const tag = String(headers.etag);
      expect(tag).toMatch(/^W\/"[\w-]+"$/);
      for (const method of ['GET', 'HEAD'] as const) {
        for (const known of [tag, tag.slice(2), '*', `"other", ${tag}`]) {
          const answer = await app.inject({ method, url, headers: { 'if-none-match': known } });
          expect([answer.statusCode, answer.body, answer.headers.etag]).toEqual([304, '', tag]);
          expect(answer.headers['cache-control']).toBe('public, max-age=300');
        }
        const answer = await app.inject({ method, url, headers: { 'if-none-match': '"other"' } });
        expect(answer.statusCode).toBe(200);
      }
    });

    it('redirects from the path with a trailing slash to the one without, and keeps the query', async () => {
      const app = pages();
      const withSlash = url.endsWith('/') ? url : `${url}/`;
      const answer = await app.inject({ method: 'HEAD', url: `${withSlash}?from=search` });
      if (withSlash === url) expect(answer.statusCode).toBe(200);
      else expect([answer.statusCode, answer.headers.location]).toEqual([308, `${url}?from=search`]);
    });

    it('rejects other methods', async () => {
      const answer = await pages().inject({ method: 'POST', url });
      expect([answer.statusCode, answer.headers.allow]).toEqual([404, 'GET, HEAD']);
      expect(answer.json().error.message).toBe('Use GET or HEAD with this path.');
    });
  },
);

it('the site redirects from /guides to /guides/', async () => {
  expect((await pages().inject('/guides?a=1')).headers.location).toBe('/guides/?a=1');
});

it.each(['//evil.example/', '/guides//evil.example/', '/guides/\\evil.example/', '//docs/', '/docs//'])(
  'the site does not redirect to another host: %s',
  async (url) => {
    const answer = await pages().inject(url);
    expect([answer.statusCode, answer.headers.location]).toEqual([404, undefined]);
  },
);

describe('compression', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['br;q=0.1, gzip;q=0.9', 'gzip'],
    ['*', 'br'],
    ['identity', undefined],
    ['identity, gzip;q=0', undefined],
    ['deflate', undefined],
    ['', undefined],
  ])('follows Accept-Encoding for pages: %s', async (accepted, coding) => {
    const app = pages();
    for (const _ of ['made', 'kept']) {
      const { headers, rawPayload } = await app.inject({
        url: '/guides/',
        headers: { 'accept-encoding': accepted },
      });
      expect([headers['content-encoding'], headers.vary]).toEqual([coding, 'accept-encoding']);
      const decoded =
        coding === 'br' ? brotliDecompressSync(rawPayload) : coding ? gunzipSync(rawPayload) : rawPayload;
      expect(decoded.toString()).toBe(LONG);
      if (coding) expect(rawPayload.length).toBeLessThan(LONG.length / 2);
    }
  });

  it('leaves small pages and archives uncompressed', async () => {
    for (const url of ['/docs', '/guides/downloads/all.zip']) {
      const { headers } = await pages().inject({ url, headers: { 'accept-encoding': 'br' } });
      expect([headers['content-encoding'], headers.vary]).toEqual([undefined, undefined]);
    }
  });
});

describe('/support', () => {
  it.each([
    ['an email address', "o'neil+help@leads.example", "mailto:o'neil+help@leads.example"],
    ['a page', 'https://leads.example/help?a=1&b=${2}', 'https://leads.example/help?a=1&b=${2}'],
  ])('links to %s, also in its script', async (_what, support, href) => {
    const app = pages({ SSS_SUPPORT: support });
    const html = href.replaceAll('&', '&amp;').replaceAll("'", '&#39;');
    const { body } = await app.inject('/support');
    expect(body).toContain(`<a href="${html}">`);
    const script = (await app.inject('/guides/assets/support.js')).body;
    const values = new Function(`${script} return [a, b, c];`)();
    for (const value of values) expect(`<p>${value}</p>`).toBe(body);
  });

  it('states that the operator has not set a contact', async () => {
    expect((await pages().inject('/support')).body).toContain(
      'The operator of this service has not set a support address.',
    );
  });

  it.each(['help', 'javascript:alert(1)', 'http://leads.example', 'mailto:a@b.example'])(
    'stops the start for a contact that is neither an email address nor an https URL: %s',
    (support) => {
      expect(() => fakeGateway({ env: { SSS_SUPPORT: support } })).toThrow('SSS_SUPPORT');
    },
  );
});
