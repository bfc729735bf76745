import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { operations } from '../../../docs/suppliers/.vitepress/operations.ts';
import { describeInBrowser, type Page, suiteBrowser } from '../../harness/browser.ts';
import { readStack } from '../../harness/stack.ts';
import { waitUntilTrue } from '../../harness/wait.ts';

/** Whether the page has started its scripts. */
const IS_ALIVE = "document.querySelector('#app').__vue_app__ !== undefined";
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const GUIDES = [
  '',
  'quickstart',
  'lead',
  'sandbox',
  'webhooks',
  'frameworks',
  'documents',
  'recovery',
  'errors',
  'limits',
  'going-live',
  'changelog',
  'downloads',
  ...operations().map(({ id }) => `reference/${id}`),
];
const PAGES = ['', 'docs', 'support', ...GUIDES.map((path) => `guides/${path}`)];
/** One page of each layout, and pages with tables, code in several languages and callouts. */
const LAYOUTS = [
  '',
  'docs',
  'support',
  'guides/',
  'guides/quickstart',
  'guides/webhooks',
  'guides/errors',
  'guides/downloads',
  'guides/reference/createSubmission',
];
/** axe finds structural problems on any screen; colours and sizes depend on the layout. */
const SCREENS = [
  {
    name: 'a desk',
    viewport: { width: 1280, height: 800 },
    colorScheme: 'light' as const,
    examined: PAGES,
  },
  {
    name: 'a phone in the dark',
    viewport: { width: 390, height: 844 },
    colorScheme: 'dark' as const,
    examined: LAYOUTS,
  },
];

const NAVIGATION = [
  ['Guides', '/guides/'],
  ['API reference', '/docs'],
  ['Downloads', '/guides/downloads'],
  ['Support', '/support'],
] as const;

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

describeInBrowser("the pages of the suppliers' site", () => {
  const linkIn = (page: Page, name: string) =>
    page.getByRole('navigation', { name: 'Main Navigation' }).getByRole('link', { name, exact: true });

  /** Opens a page that records the browser's complaints and the hosts it requests. */
  async function opened(screen: (typeof SCREENS)[number]) {
    const { viewport, colorScheme } = screen;
    const context = await suiteBrowser().newContext({ viewport, colorScheme });
    context.setDefaultTimeout(15_000);
    const page = await context.newPage();
    const complaints: string[] = [];
    let looked = false;
    const asked = new Set<string>();
    page.on('console', (message) => {
      if (!looked && ['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
      if (!request.url().startsWith('data:')) asked.add(new URL(request.url()).origin);
    });
    return {
      page,
      complaints,
      asked,
      async visit(path: string) {
        looked = false;
        return await page.goto(`${readStack().pages}/${path}`);
      },
      /** Ignores the effects of axe's own changes to a page. */
      async look(path: string) {
        looked = true;
        await page.evaluate(AXE);
        const rules = { 'color-contrast': { enabled: LAYOUTS.includes(path) } };
        return await page.evaluate<Finding[]>(
          `axe.run(document, ${JSON.stringify({ resultTypes: ['violations'], rules })}).then((result) => result.violations)`,
        );
      },
      close: () => context.close(),
    };
  }

  it.each(SCREENS)(
    'render completely on $name, without browser warnings, third-party hosts or serious findings',
    async (screen) => {
      const { page, complaints, asked, visit, look, close } = await opened(screen);
      const findings: string[] = [];
      for (const path of PAGES) {
        const answer = await visit(path);
        expect([path, answer?.status()]).toEqual([path, 200]);
        await page.getByRole('heading', { level: 1 }).waitFor();
        // The page's script sets the name of the colour switch.
        await page.locator('button[role=switch][title=""]').first().waitFor({ state: 'detached' });
        const wide = await page.evaluate<number>(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect([path, wide]).toEqual([path, 0]);
        if (!screen.examined.includes(path)) continue;
        for (const { id, impact, nodes } of await look(path))
          if (impact === 'serious' || impact === 'critical')
            findings.push(`${path}: ${id}: ${nodes[0]?.html}`);
      }
      expect(findings).toEqual([]);
      expect(complaints).toEqual([]);
      expect([...asked]).toEqual([readStack().pages]);
      await close();
    },
    120_000,
  );

  it('can all be reached through these links', async () => {
    const { page, visit, close } = await opened(SCREENS[0]!);
    await visit('');
    for (const [name, target] of NAVIGATION) {
      await linkIn(page, name).click();
      await page.waitForURL(`${readStack().pages}${target}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await close();
  });

  it.each([
    ['a guide, from the reference', 'docs', 'tunnel to port 9000', /\/guides\/quickstart/],
    ['a framework', 'guides/', 'FastAPI', /\/guides\/frameworks/],
    [
      'an error, from a guide',
      'guides/lead',
      'idempotency_conflict',
      /\/docs#idempotency_conflict|\/guides\//,
    ],
    ['a field, from support', 'support', 'existing_finance_monthly', /\/guides\/reference\/\w+#body/],
  ])('are found by one search for %s', async (_what, path, words, found) => {
    const { page, visit, close } = await opened(SCREENS[0]!);
    await visit(path);
    await waitUntilTrue(page, IS_ALIVE);
    await page.keyboard.press('Control+k');
    await page.locator('.VPLocalSearchBox input').waitFor();
    await page.keyboard.type(words);
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(found);
    await close();
  });

  it('can be searched by keyboard, and their examples can be copied', async () => {
    const { page, visit, close } = await opened(SCREENS[0]!);
    await visit('guides/quickstart');
    await waitUntilTrue(page, IS_ALIVE);
    await page.keyboard.press('Control+k');
    await page.locator('.VPLocalSearchBox input').waitFor();
    await page.keyboard.type('revisions');
    await page.locator('.VPLocalSearchBox .result').first().waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/(?:guides\/|docs).*#/);
    await visit('guides/reference/createSubmission');
    expect(await page.locator('button.copy').count()).toBeGreaterThan(4);
    await page.locator('.vp-code-group label', { hasText: 'Python' }).first().click();
    expect(await page.locator('.vp-code-group .active').first().textContent()).toContain('import requests');
    await close();
  });

  it('have tabs of code that work without JavaScript, and commands that wrap on a phone', async () => {
    const context = await suiteBrowser().newContext({
      viewport: { width: 390, height: 844 },
      javaScriptEnabled: false,
    });
    const page = await context.newPage();
    await page.goto(`${readStack().pages}/guides/quickstart`);
    const shown = () => page.locator('.vp-code-group').first().locator('.blocks > div:visible');
    for (const [tab, program] of [
      ['curl', 'curl -sS'],
      ['Python', 'import requests'],
      ['Node', 'await fetch'],
    ] as const) {
      await page.locator('.vp-code-group label', { hasText: tab }).first().click();
      expect([tab, await shown().count()]).toEqual([tab, 1]);
      expect(await shown().textContent()).toContain(program);
    }
    const wide = await page
      .locator('.language-sh pre')
      .evaluateAll((boxes) =>
        boxes.filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.textContent),
      );
    expect(wide).toEqual([]);
    await context.close();
  });

  it('link each page to the previous and next one, and to the reference', async () => {
    const { page, visit, close } = await opened(SCREENS[0]!);
    await visit('guides/quickstart');
    await page.locator('.pager-link.next').click();
    await page.waitForURL(/\/guides\/lead$/);
    await visit('guides/reference/promoteSubmission');
    await page.getByRole('link', { name: 'concurrent_promotion' }).click();
    await page.waitForURL(/\/docs#concurrent_promotion$/);
    await close();
  });

  it('show the addresses of the stack, and offer every file for download', async () => {
    const stack = readStack();
    const page = async (path: string) => await (await fetch(`${stack.pages}/guides/${path}`)).text();
    expect(await page('quickstart')).toContain(`>${stack.gateway}</span>`);
    const offered = [...(await page('downloads')).matchAll(/href="(\/guides\/downloads\/[^"]+)"/g)].map(
      ([, path]) => path,
    );
    expect(offered).toHaveLength(11);
    for (const path of offered)
      expect([path, (await fetch(`${stack.pages}${path}`)).status]).toEqual([path, 200]);
  });
});
