import { createLogger } from '@supplier/lib/log';
import { ERROR_TABLE } from '../../errors/error-table.ts';
import { buildOpenApi } from '../../openapi/document.ts';
import { operations } from '../../operations.ts';
import { fakeGateway } from '../../testing/fake-gateway.ts';
import { buildPages } from '../app.ts';
import { html } from './html.ts';

const { context } = fakeGateway({ env: { SSS_SCREENING_PROVIDER: 'acme & <sons>' } });
const app = buildPages({ ...context, log: createLogger('test', 'error') });

describe('the reference for programs', () => {
  it('is the document of this gateway, with its screening provider', async () => {
    const answer = await app.inject('/openapi.json');
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.json()).toEqual(JSON.parse(JSON.stringify(buildOpenApi(operations, 'acme & <sons>'))));
  });
});

describe('the reference for people', () => {
  it('shows every operation, with its method, path and fields', async () => {
    const { body } = await app.inject('/docs');
    for (const { method, path, reference } of operations) {
      expect(body).toContain(`<section id="${reference.id}"`);
      expect(body).toContain(`${method} ${path.replace(/:(\w+)/g, '{$1}')}</code>`);
    }
    for (const field of [
      'home_address.postcode',
      'credit_screening.declared.hmrc_arrears',
      'expected_revision',
    ])
      expect(body).toContain(`<code>${field}</code>`);
    expect(body).toContain('1 to 320 characters');
  });

  it('shows every code, and links to nothing that is not there', async () => {
    const { body } = await app.inject('/docs');
    for (const code of Object.keys(ERROR_TABLE)) expect(body).toContain(`<section id="${code}"`);
    const ids = Array.from(body.matchAll(/ id="([^"]+)"/g), ([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [, target] of body.matchAll(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it('loads, runs and frames nothing', async () => {
    const { body, headers } = await app.inject('/docs');
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-[\w+/=]+';/);
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(body).not.toMatch(/<script|<link|<img|<iframe|\son\w+=|\sstyle=|(?:src|href)="(?:https?:)?\/\//i);
  });

  it('escapes what is configured', async () => {
    const { body } = await app.inject('/docs');
    expect(body).toContain('acme &amp; &lt;sons&gt;');
    expect(body).not.toContain('<sons>');
  });
});

describe('html', () => {
  it('escapes every value that is not HTML already', () => {
    expect(html`<p title="${`a"b'`}">${['<i>', html`<b>${'&'}</b>`]}</p>`.text).toBe(
      '<p title="a&quot;b&#39;">&lt;i&gt;<b>&amp;</b></p>',
    );
  });
});
