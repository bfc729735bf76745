import { basename } from 'node:path';
import { referencePages } from './reference.ts';

interface Section {
  readonly anchor: string;
  readonly titles: string[];
  readonly text: string;
}

const HEADING = /^(#{1,3}) (.*?)(?: \{#(\S+)\})?$/gm;

/** The sections of a page of the reference for the search; undefined for a page that VitePress reads from its file. */
export function sectionsOf(file: string): Section[] | undefined {
  const page = /\/reference\/[^/]+\.md$/.test(file)
    ? referencePages().find(({ name }) => name === basename(file, '.md'))
    : undefined;
  if (!page) return undefined;
  const headings = [...page.content.matchAll(HEADING)];
  return headings.map(({ 0: line, 2: title = '', 3: anchor = '', index }, at) => ({
    anchor,
    titles: [...(at === 0 ? [] : [page.title]), plain(title)],
    text: plain(page.content.slice(index + line.length, headings[at + 1]?.index)),
  }));
}

/** Without examples and marks. */
const plain = (markdown: string) =>
  markdown
    .replaceAll(/^```[\s\S]*?^```$/gm, '')
    .replaceAll(/\[([^\]]*)\]\([^)]*\)(?:\{[^}]*\})?/g, '$1')
    .replaceAll(/<[^>]+>|^:::.*$|[`\\]/gm, ' ')
    .replaceAll(
      /&(amp|lt|gt|quot);/g,
      (entity) => ({ '&amp;': '&', '&lt;': '<', '&gt;': '>' })[entity] ?? '"',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
