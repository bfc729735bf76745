import {
  type Browser,
  type BrowserContext,
  describeInBrowser,
  openBrowser,
  openPhone,
} from '../../harness/browser.ts';
import { readStack } from '../../harness/stack.ts';
import { CODES, OPERATIONS } from './operations.ts';

describeInBrowser('/docs on a phone, without JavaScript', () => {
  let browser: Browser;
  let phone: BrowserContext;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  beforeEach(async () => {
    phone = await openPhone(browser);
  });
  afterEach(() => phone.close());
  afterAll(() => browser?.close());

  const open = async () => {
    const page = await phone.newPage();
    const complaints: string[] = [];
    const asked = new Set<string>();
    page.on('console', (message) => complaints.push(message.text()));
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    await page.goto(`${readStack().pages}/docs`);
    return { page, complaints, asked };
  };

  it('shows all eight operations, each reached from the contents', async () => {
    const { page } = await open();
    for (const [method, path] of OPERATIONS) {
      const link = page
        .getByRole('navigation')
        .getByRole('link')
        .filter({
          has: page.getByText(`${method} ${path}`, { exact: true }),
        });
      await link.click();
      const section = page.locator('section:target');
      await section.getByRole('heading', { level: 3 }).waitFor({ state: 'visible' });
      expect(await section.locator('code.call').textContent()).toBe(`${method} ${path}`);
      expect(await section.getByRole('heading', { name: 'Answers' }).isVisible()).toBe(true);
    }
  });

  it('shows what a field may be, and an example that unfolds', async () => {
    const { page } = await open();
    const create = page.locator('section#createSubmission');
    const field = create.locator('dt', { has: page.getByText('funding_amount', { exact: true }) }).first();
    expect(await field.textContent()).toMatch(/integer\s+required/);
    expect(await field.locator('+ dd').textContent()).toMatch(/at least 1000; at most 10000000/);
    const example = create.locator('details').first();
    expect(await example.locator('pre').isVisible()).toBe(false);
    await example.locator('summary').click();
    expect(JSON.parse((await example.locator('pre').textContent()) ?? '')).toHaveProperty(
      'external_reference',
    );
    expect(await example.locator('pre').isVisible()).toBe(true);
  });

  it('has every error code, and answers lead to it', async () => {
    const { page } = await open();
    for (const code of CODES) expect(await page.locator(`section#${code}`).count()).toBe(1);
    await page.locator('section#correctContact').getByRole('link', { name: 'revision_conflict' }).click();
    expect(await page.locator('section:target').getAttribute('id')).toBe('revision_conflict');
  });

  it('is no wider than the phone, is styled, and asks nobody else', async () => {
    const { page, complaints, asked } = await open();
    const [content, screen] = await page.evaluate<[number, number]>(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    );
    expect(content).toBeLessThanOrEqual(screen);
    const display = await page.evaluate("getComputedStyle(document.querySelector('code.call')).display");
    expect(display).toBe('block');
    expect([...asked]).toEqual([readStack().pages]);
    expect(complaints).toEqual([]);
  });

  it('can be read by a machine that reads aloud: a language, a title, landmarks, headings in order', async () => {
    const { page } = await open();
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.title()).toMatch(/reference/);
    for (const landmark of ['banner', 'navigation', 'main', 'contentinfo'] as const)
      expect(await page.getByRole(landmark).count()).toBe(1);
    const levels: number[] = await page
      .locator('h1, h2, h3, h4')
      .evaluateAll((all) => all.map((heading) => Number(heading.tagName[1])));
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [at, level] of levels.entries()) expect(level).toBeLessThanOrEqual((levels[at - 1] ?? 0) + 1);
  });
});
