import type { JsonValue } from '@bufbuild/protobuf';

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}
dl{display:grid;grid-template-columns:max-content 1fr;gap:.1rem 1rem;margin:.2rem 0 .8rem}dt{color:#555}dd{margin:0}
ol{margin:.2rem 0;padding-left:1.2rem}section{border-top:1px solid #ccc;margin-top:2rem}`;

/**
 * Returns a value as one self-contained, readable page: it has no scripts, fetches nothing, and all content is escaped.
 * Empty texts, lists and objects are left out.
 */
export function exportPage(title: string, sections: readonly (readonly [string, JsonValue])[]): string {
  const body = sections
    .map(([heading, value]) => `<section><h2>${asText(heading)}</h2>${valueHtml(value)}</section>`)
    .join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer"><title>${asText(title)}</title><style>${STYLE}</style></head>
<body><h1>${asText(title)}</h1>
${body}
</body></html>
`;
}

function valueHtml(value: JsonValue): string {
  if (Array.isArray(value)) {
    const items = value.filter((item) => !isEmpty(item)).map((item) => `<li>${valueHtml(item)}</li>`);
    return `<ol>${items.join('')}</ol>`;
  }
  if (typeof value !== 'object' || value === null) return asText(String(value ?? 'none'));
  const rows = Object.entries(value)
    .filter(([, inner]) => !isEmpty(inner))
    .map(([name, inner]) => `<dt>${asText(inWords(name))}</dt><dd>${valueHtml(inner)}</dd>`);
  return `<dl>${rows.join('')}</dl>`;
}

function isEmpty(value: JsonValue): boolean {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Converts `businessName` to `business name`. */
const inWords = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const asText = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
