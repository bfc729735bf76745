import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { defineConfig } from 'vitepress';
import { writeClients } from './clients.ts';
import { writeDownloads } from './downloads.ts';
import { operations } from './operations.ts';

/** Colours of code as classes: the policy of the pages takes no styles within elements. */
const colours = transformerStyleToClass({ classPrefix: 'c-' });
const COLOURS = 'colours.css';
const BASE = '/guides/';
/** What is read aloud is what is seen. */
const SEARCH = 'Search (Ctrl K)';

export default defineConfig({
  lang: 'en-GB',
  title: 'Supplier submissions',
  description: 'How to send enquiries, follow them, and receive webhooks.',
  base: BASE,
  cleanUrls: true,
  outDir: '../../services/gateway/guides',
  cacheDir: '../../.run/guides-cache',
  srcExclude: ['README.md', 'clients/**'],
  // Otherwise a change of colours puts a style element into the page, which its policy forbids.
  appearance: { disableTransition: false },
  // One file that every page shares, instead of a script within each.
  metaChunk: true,
  head: [
    ['link', { rel: 'stylesheet', href: `${BASE}${COLOURS}` }],
    ['link', { rel: 'icon', href: `${BASE}icon.svg` }],
  ],
  markdown: {
    codeTransformers: [colours],
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  // The reference and journey pages are of the same host, and of another program.
  ignoreDeadLinks: [/^\/(docs|openapi\.json|support)/],
  themeConfig: {
    search: {
      provider: 'local',
      options: { translations: { button: { buttonText: SEARCH, buttonAriaLabel: SEARCH } } },
    },
    nav: [
      { text: 'Quickstart', link: '/quickstart' },
      { text: 'Reference', link: '/reference/createSubmission' },
      { text: 'Downloads', link: '/downloads' },
    ],
    sidebar: [
      {
        text: 'Begin',
        items: [
          { text: 'What this is', link: '/' },
          { text: 'Quickstart', link: '/quickstart' },
          { text: 'What becomes of a lead', link: '/lead' },
          { text: 'Sandbox', link: '/sandbox' },
        ],
      },
      {
        text: 'Build',
        items: [
          { text: 'Webhooks', link: '/webhooks' },
          { text: 'Webhooks in your framework', link: '/frameworks' },
          { text: 'Documents', link: '/documents' },
          { text: 'Idempotency and recovery', link: '/recovery' },
          { text: 'Errors', link: '/errors' },
          { text: 'Limits', link: '/limits' },
          { text: 'Going live', link: '/going-live' },
        ],
      },
      {
        text: 'Reference',
        items: operations().map(({ id, summary }) => ({ text: summary, link: `/reference/${id}` })),
      },
      {
        text: 'More',
        items: [
          { text: 'Downloads', link: '/downloads' },
          { text: 'Changes', link: '/changelog' },
        ],
      },
    ],
    outline: [2, 3],
  },
  // The same as rules of style.css: the policy of the pages takes no styles within elements.
  transformHtml: (html) => html.replaceAll(/ style="(?:position:relative;|--vp-vh:0px;)"/g, ''),
  async buildEnd({ outDir }) {
    writeDownloads(join(outDir, 'downloads'));
    await writeClients(join(outDir, 'downloads'));
    writeFileSync(join(outDir, COLOURS), colours.getCSS());
    writeFileSync(join(outDir, 'script-hashes.json'), JSON.stringify(scriptHashes(outDir)));
  },
});

/** Of every script that stands within a page, as `script-src` names them. */
function scriptHashes(folder: string): string[] {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.html'),
  );
  const scripts = pages.flatMap((path) =>
    [
      ...readFileSync(join(folder, path), 'utf8').matchAll(
        /<script(?![^>]* src=)[^>]*>([\s\S]*?)<\/script>/g,
      ),
    ].map(([, text = '']) => text),
  );
  return [...new Set(scripts)]
    .map((text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`)
    .sort();
}
