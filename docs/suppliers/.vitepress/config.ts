import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformerStyleToClass } from '@shikijs/transformers';
import { defineConfig } from 'vitepress';
import { writeClients } from './clients.ts';
import { writeDownloads } from './downloads.ts';
import { operations } from './operations.ts';
import { sectionsOf } from './search.ts';

/** Colours of code as classes: the policy of the pages takes no styles within elements. */
const colours = transformerStyleToClass({ classPrefix: 'c-' });
const COLOURS = 'guides/colours.css';
/** The pages outside of `/guides/`, by their files. */
const AT_ROOT: Readonly<Record<string, string>> = {
  'home.md': 'index.md',
  'reference/docs.md': 'docs.md',
  'support.md': 'support.md',
};
/** The accessible name is the visible text. */
const SEARCH = 'Search (Ctrl K)';

export default defineConfig({
  lang: 'en-GB',
  title: 'Supplier submissions',
  description: 'How to send enquiries, follow them, and receive webhooks.',
  // Home, reference and support are at the root of the host, which also serves pages of another program.
  rewrites: (page) => AT_ROOT[page] ?? `guides/${page}`,
  assetsDir: 'guides/assets',
  cleanUrls: true,
  outDir: '../../services/gateway/guides',
  cacheDir: '../../.run/guides-cache',
  srcExclude: ['README.md', 'clients/**'],
  // Otherwise a change of colours puts a style element into the page, which its policy forbids.
  appearance: { disableTransition: false },
  // One file that every page shares, instead of a script within each.
  metaChunk: true,
  head: [
    ['link', { rel: 'stylesheet', href: `/${COLOURS}` }],
    ['link', { rel: 'icon', href: '/guides/icon.svg' }],
  ],
  markdown: {
    codeTransformers: [colours],
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  ignoreDeadLinks: [/^\/openapi\.json/],
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        translations: { button: { buttonText: SEARCH, buttonAriaLabel: SEARCH } },
        // The pages of the reference have no files to read.
        miniSearch: { _splitIntoSections: sectionsOf as never },
      },
    },
    nav: [
      { text: 'Guides', link: '/guides/', activeMatch: '^/guides/(?!reference|downloads)' },
      { text: 'API reference', link: '/docs', activeMatch: '^/(docs|guides/reference)' },
      { text: 'Downloads', link: '/guides/downloads' },
      { text: 'Support', link: '/support' },
    ],
    sidebar: [
      {
        text: 'Get started',
        items: [
          { text: 'Introduction', link: '/guides/' },
          { text: 'Quickstart', link: '/guides/quickstart' },
          { text: 'Submission lifecycle', link: '/guides/lead' },
          { text: 'Sandbox', link: '/guides/sandbox' },
        ],
      },
      {
        text: 'Build',
        items: [
          { text: 'Webhooks', link: '/guides/webhooks' },
          { text: 'Webhooks in your framework', link: '/guides/frameworks' },
          { text: 'Documents', link: '/guides/documents' },
          { text: 'Idempotency and recovery', link: '/guides/recovery' },
          { text: 'Errors', link: '/guides/errors' },
          { text: 'Limits', link: '/guides/limits' },
          { text: 'Going live', link: '/guides/going-live' },
        ],
      },
      {
        text: 'API reference',
        items: [
          { text: 'Overview', link: '/docs' },
          ...operations().map(({ id, summary }) => ({ text: summary, link: `/guides/reference/${id}` })),
        ],
      },
      {
        text: 'More',
        items: [
          { text: 'Downloads', link: '/guides/downloads' },
          { text: 'Changelog', link: '/guides/changelog' },
          { text: 'Support', link: '/support' },
        ],
      },
    ],
    outline: [2, 3],
  },
  // Request and response side by side need the room.
  transformPageData: ({ relativePath, frontmatter }) =>
    relativePath.startsWith('guides/reference/') ? { frontmatter: { ...frontmatter, aside: false } } : {},
  // The same as rules of style.css: the policy of the pages takes no styles within elements.
  transformHtml: (html) => html.replaceAll(/ style="(?:position:relative;|--vp-vh:0px;)?"/g, ''),
  async buildEnd({ outDir }) {
    writeDownloads(join(outDir, 'guides/downloads'));
    await writeClients(join(outDir, 'guides/downloads'));
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
