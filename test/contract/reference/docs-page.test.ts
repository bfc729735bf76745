import { operations } from '../../../docs/suppliers/.vitepress/operations.ts';
import { describeInBrowser, openPhone } from '../../harness/browser.ts';
import { readStack } from '../../harness/stack.ts';
import { CODES, OPERATIONS } from './operations.ts';

describeInBrowser('the API reference on a phone, without JavaScript', () => {
  const open = async (path = '/docs') => {
    const page = await (await openPhone()).newPage();
    const asked = new Set<string>();
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) asked.add(new URL(request.url()).origin);
    });
    await page.goto(`${readStack().pages}${path}`);
    return { page, asked };
  };

  it('lists all eight operations, each with a link to its page', async () => {
    const { page } = await open();
    expect(
      operations()
        .map(({ method, path }) => `${method} ${path}`)
        .sort(),
    ).toEqual(OPERATIONS.map(([method, path]) => `${method} ${path}`).sort());
    for (const { id, summary, method, path } of operations()) {
      await page.goto(`${readStack().pages}/docs#${id}`);
      const heading = page.locator(`h3#${id}`);
      expect(await heading.locator('+ p.call').textContent()).toBe(`${method} ${path}`);
      await heading.getByRole('link', { name: summary, exact: true }).click();
      await page.waitForURL(`${readStack().pages}/guides/reference/${id}`);
      expect(await page.locator('p.call').textContent()).toBe(`${method} ${path}`);
      expect(await page.getByRole('heading', { name: 'Responses' }).isVisible()).toBe(true);
    }
  });

  it('shows the constraints and an example of a field', async () => {
    const { page } = await open('/guides/reference/createSubmission');
    const field = page.locator('dt', { has: page.getByText('funding_amount', { exact: true }) }).first();
    expect(await field.textContent()).toMatch(/integer · required/);
    expect(await field.locator('+ dd').textContent()).toMatch(/at least 1,000; at most 10,000,000/);
    for (const name of ['home_address.postcode', 'credit_screening.declared.hmrc_arrears'])
      expect(await page.locator('dt', { has: page.getByText(name, { exact: true }) }).count()).toBe(1);
    const example = await page.locator('.language-json pre').first().textContent();
    expect(JSON.parse(example ?? '')).toHaveProperty('external_reference');
  });

  it('has every error code, and operations link to it', async () => {
    const { page } = await open();
    for (const code of CODES) expect(await page.locator(`h3#${code}`).count()).toBe(1);
    await page.goto(`${readStack().pages}/guides/reference/correctContact`);
    await page.getByRole('link', { name: 'revision_conflict' }).click();
    await page.waitForURL(/\/docs#revision_conflict$/);
    expect(await page.locator(':target').getAttribute('id')).toBe('revision_conflict');
  });

  it('has no broken links', async () => {
    for (const path of ['/docs', ...operations().map(({ id }) => `/guides/reference/${id}`)]) {
      const { page } = await open(path);
      const targets: string[] = await page
        .locator('main a[href*="#"]')
        .evaluateAll((all) => all.map((link) => (link as { href: string }).href));
      for (const target of new Set(targets)) {
        const text = await (await fetch(target)).text();
        expect([target, text.includes(` id="${new URL(target).hash.slice(1)}"`)]).toEqual([target, true]);
      }
    }
  });
});
