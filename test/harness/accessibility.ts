import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}

/** The two layouts to check: wide in the light theme, and as narrow as a phone in the dark theme. */
const LOOKS = {
  'light, wide': { colorScheme: 'light', width: 1_280, height: 800 },
  'dark, narrow': { colorScheme: 'dark', width: 390, height: 844 },
} as const;

/** Returns the accessibility violations that axe finds in either layout, and any overflow beyond the window's width. */
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
    // Wide content must scroll within its own container.
    if (!(await page.evaluate(FITS)))
      found.push(`${look}: wider than its window: ${await page.evaluate(WIDER)}`);
  }
  await page.emulateMedia({ colorScheme: null });
  if (before) await page.setViewportSize(before);
  return found;
}

/** Waits until the colours of the other theme have faded in. Skips the details of rules that pass. */
const RUN = `new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect.getComputedTiming().endTime < Infinity)
    .map(({ finished }) => finished)))
  .then(() => axe.run({ resultTypes: ['violations'], selectors: false }))`;
/** The elements that reach beyond the window, without those that scroll in a container. */
const WIDER = `[...document.querySelectorAll('body *')]
  .filter((one) => one.getBoundingClientRect().right > window.innerWidth && !one.closest('[tabindex="0"], table'))
  .slice(0, 3)
  .map((one) => one.outerHTML.slice(0, 200))
  .join(' ')`;
/**
 * The texts that a person can't read: wider than their box, which hides them or scrolls sideways, or in a column of a few
 * letters. An ellipsis needs a title with the whole text.
 */
export const CUT = `[...document.querySelectorAll('html, main *, [role=dialog] *')]
  .filter((box) => {
    if (box.clientWidth <= 1 || box.matches('input, select, svg, svg *')) return false;
    const { overflowX, textOverflow, paddingLeft, paddingRight } = getComputedStyle(box);
    const isNarrow = box.matches('td, th, dt, dd, li') && box.textContent.length > 9
      && box.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight) < 36;
    const isHidden = overflowX !== 'visible' && box.scrollWidth > box.clientWidth + 1;
    return isNarrow || (isHidden && (textOverflow !== 'ellipsis' || !box.closest('[title]')));
  })
  .slice(0, 5)
  .map((box) => [
    box.tagName, box.getAttribute('aria-label') ?? '', box.clientWidth, box.scrollWidth, box.textContent.slice(0, 60),
  ].join(' '))`;
/** Whether a page is no wider than its window. */
export const FITS = 'document.documentElement.scrollWidth <= window.innerWidth';
