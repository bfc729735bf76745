import type { Page } from './browser.ts';
import type { Forms } from './encoded-forms.ts';

/** Where a page could have kept data that it showed. */
export interface PageTraces {
  /**
   * Returns the names of places that hold one of the forms. `answers` and `addresses` cover everything since the watch
   * began.
   */
  holding(forms: Forms): Promise<string[]>;
  /** Returns whether the page, including its input fields, shows one of the forms. */
  shows(forms: Forms): Promise<boolean>;
}

/** Starts watching a page. */
export function traces(page: Page): PageTraces {
  const answers: Promise<Buffer>[] = [];
  const addresses: string[] = [];
  const said: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  page.on('response', (response) => {
    // A watch stream doesn't end while the page is open, and its first content is also requested separately.
    if (/\/Watch[A-Za-z]+$/.test(response.url())) return;
    // A response without a body, or from a page that has been left, can't be read.
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

/** Returns everything that the page, its browser profile and its history keep, as text by place. */
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

/** The page's elements and the values of its fields. */
const SEEN = `[
  document.documentElement.outerHTML,
  ...[...document.querySelectorAll('input, textarea, select')].map(({ value }) => value),
].join(' ')`;

/** The page must not use databases or caches: investigate any that appears here. */
const KEPT = `(async () => ({
  state: JSON.stringify(history.state),
  window: window.name,
  local: JSON.stringify({ ...localStorage }),
  session: JSON.stringify({ ...sessionStorage }),
  databases: JSON.stringify(await indexedDB.databases()),
  caches: JSON.stringify(await caches.keys()),
  cookies: document.cookie,
}))()`;
