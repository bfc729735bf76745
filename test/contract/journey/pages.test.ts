import { randomBytes } from 'node:crypto';
import { enquiry } from '../../harness/enquiries.ts';
import { readStack } from '../../harness/stack.ts';
import { created, type Environment, supplier } from '../../harness/suppliers.ts';
import { page } from './page.ts';

const api = supplier('journey');
const newLink = async () => (await created(api, enquiry())).arrival_screen_url ?? '';

describe('a journey page', () => {
  it('can be opened and previewed any number of times without using its link', async () => {
    const url = await newLink();
    for (let time = 0; time < 5; time += 1) {
      expect((await page(url)).text).toContain('<form method="post">');
      expect(await page(url, 'HEAD')).toMatchObject({ status: 200, text: '' });
    }
    expect((await page(url, 'POST')).status).toBe(200);
  });

  it('accepts one of 50 concurrent posts', async () => {
    const url = await newLink();
    const answers = await Promise.all(Array.from({ length: 50 }, () => page(url, 'POST')));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 49 }, () => 410)]);
  });

  it('shows afterwards that the link has been used, and has no button', async () => {
    const url = await newLink();
    await page(url, 'POST');
    const after = await page(url);
    expect(after).toMatchObject({ status: 410 });
    expect(after.text).toContain('has been used');
    expect(after.text).not.toContain('<form');
  });

  it.each(['GET', 'HEAD', 'POST'] as const)('returns 404 to %s of an unknown link', async (method) => {
    const nobody = `${readStack().pages}/journey/${randomBytes(32).toString('base64url')}`;
    expect((await page(nobody, method)).status).toBe(404);
    expect((await page(`${readStack().pages}/journey/short`, method)).status).toBe(404);
  });

  it("can't be cached or framed, runs no scripts and sends no referrer", async () => {
    const { headers, text } = await page(await newLink());
    expect(headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(text).not.toMatch(/<script|https?:/);
  });

  it('is not part of the API', async () => {
    const url = new URL(await newLink());
    const answer = await page(`${readStack().gateway}${url.pathname}`);
    expect(answer.status).toBe(404);
  });

  it.each([
    ['sandbox', 'production'],
    ['production', 'sandbox'],
  ] as const)('of a link of %s returns 404 on the pages of %s', async (of, other) => {
    const linkOf = async (environment: Environment) =>
      new URL((await created(supplier('journey', environment), enquiry())).arrival_screen_url ?? '');
    const [url, elsewhere] = [await linkOf(of), await linkOf(other)];
    for (const method of ['GET', 'POST'] as const) {
      expect((await page(`${elsewhere.origin}${url.pathname}`, method)).status).toBe(404);
    }
    expect((await page(url.href, 'POST')).status).toBe(200);
  });
});
