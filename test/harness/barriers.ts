import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** How staff look at a page: wide, by day; and as narrow as a phone, in the dark. */
const LOOKS = {
  'light, wide': { colorScheme: 'light', width: 1_280, height: 800 },
  'dark, narrow': { colorScheme: 'dark', width: 390, height: 844 },
} as const;

/** What keeps people from using a page in one of two looks: what a tool finds, and that all of it is wider than its window. */
export async function barriers(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  const before = page.viewportSize();
  const found: string[] = [];
  for (const [look, { colorScheme, ...size }] of Object.entries(LOOKS)) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    const { violations } = await page.evaluate<{ violations: Finding[] }>(RUN);
    for (const { id, impact, nodes } of violations)
      if (impact === 'serious' || impact === 'critical')
        found.push(`${look}: ${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    // What is wide scrolls in its own place.
    if (!(await page.evaluate(FITS))) found.push(`${look}: wider than its window`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  return found;
}

/** Nothing of what is all right is described. */
const RUN = `axe.run({ resultTypes: ['violations'], selectors: false })`;
const FITS = 'document.documentElement.scrollWidth <= window.innerWidth';
