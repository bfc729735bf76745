import type { Page } from './browser.ts';
import type { Forms } from './written-forms.ts';

/** Where a page could have left what it was shown. */
export interface PageTraces {
  /** Places that hold one of the forms, by name; `answers` and `addresses` are all that there were since it was watched. */
  holding(forms: Forms): Promise<string[]>;
  /** Whether what is on the page holds one of the forms, what was typed included. */
  shows(forms: Forms): Promise<boolean>;
}

/** Watches a page from now on. */
export function traces(page: Page): PageTraces {
  const answers: Promise<Buffer>[] = [];
  const addresses: string[] = [];
  const said: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', (response) => {
    // It does not end while it is looked at, and what it begins with was asked for beside it.
    if (/\/Watch[A-Za-z]+$/.test(response.url())) return;
    // What has no body, or belonged to a page that was left, cannot be read any more.
    answers.push(response.body().catch(() => Buffer.alloc(0)));
  });
  page.on('console', (message) => said.push(message.text()));

  return {
    async holding({ texts, bytes }) {
      const holds = (text: string) => {
        const lower = text.toLowerCase();
        return texts.some((form) => lower.includes(form.toLowerCase()));
      };
      const bodies = await Promise.all(answers);
      const places: Record<string, boolean> = {
        answers: bodies.some((body) => bytes.some((form) => body.includes(form))),
        addresses: holds(addresses.join(' ')),
        console: holds(said.join(' ')),
        ...Object.fromEntries(
          Object.entries(await keptBy(page)).map(([place, text]) => [place, holds(text)]),
        ),
      };
      return Object.keys(places).filter((place) => places[place]);
    },
    async shows({ texts }) {
      const shown = (await page.evaluate<string>(SEEN)).toLowerCase();
      return texts.some((form) => shown.includes(form.toLowerCase()));
    },
  };
}

/** All that a page, its browser's profile and its history keep, as texts by the place. */
async function keptBy(page: Page): Promise<Record<string, string>> {
  const devtools = await page.context().newCDPSession(page);
  const { entries } = await devtools.send('Page.getNavigationHistory');
  await devtools.detach();
  return {
    page: await page.evaluate<string>(SEEN),
    history: JSON.stringify(entries.map(({ url, title }) => [url, title])),
    title: await page.title(),
    ...(await page.evaluate<Record<string, string>>(KEPT)),
    profile: JSON.stringify(await page.context().storageState({ indexedDB: true })),
  };
}

/** The elements of a page, and what stands in its fields. */
const SEEN = `[
  document.documentElement.outerHTML,
  ...[...document.querySelectorAll('input, textarea, select')].map(({ value }) => value),
].join(' ')`;

/** Nothing of a page is kept in databases or caches: one that appears is to be looked into. */
const KEPT = `(async () => ({
  state: JSON.stringify(history.state),
  window: window.name,
  local: JSON.stringify({ ...localStorage }),
  session: JSON.stringify({ ...sessionStorage }),
  databases: JSON.stringify(await indexedDB.databases()),
  caches: JSON.stringify(await caches.keys()),
  cookies: document.cookie,
}))()`;
