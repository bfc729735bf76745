import { createHash } from 'node:crypto';

/** Large type and a thumb-sized button. Colours follow the phone's scheme, all with a contrast of at least 7:1. */
const STYLE = `
:root{color-scheme:light dark;--ink:#16202a;--page:#fff;--act:#12456b;--on-act:#fff}
@media (prefers-color-scheme:dark){:root{--ink:#eef2f5;--page:#16202a;--act:#a9d3f5;--on-act:#0b1a26}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:1.125rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:0 auto;padding:2rem 1.25rem}
h1{font-size:1.75rem;line-height:1.2;margin:0 0 1rem}
button{width:100%;min-height:3.25rem;margin-top:1rem;padding:.75rem 1.25rem;border:0;border-radius:.5rem;
background:var(--act);color:var(--on-act);font:inherit;font-weight:600;cursor:pointer}
button:focus-visible{outline:.2rem solid var(--ink);outline-offset:.2rem}
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** Content of a page. All text is ours: no request data ever appears on a page. */
export interface Page {
  readonly title: string;
  readonly paragraphs: readonly string[];
  /** Label of the only button, which posts to the page's own URL. */
  readonly button?: string;
}

export function renderPage({ title, paragraphs, button }: Page): string {
  const text = paragraphs.map((paragraph) => `<p>${paragraph}</p>`).join('\n');
  const form = button ? `\n<form method="post"><button type="submit">${button}</button></form>` : '';
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${text}${form}
</main>
</body>
</html>
`;
}

/**
 * Returns the headers of every page whose URL contains a token: no caching, no referrer, no scripts. A browser follows
 * a form's redirect only to origins that the page allows, so `journeyUrl` is listed here.
 */
export function pageHeaders(journeyUrl: string | undefined): Record<string, string> {
  const forwardsTo = journeyUrl ? ` ${new URL(journeyUrl).origin}` : '';
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy':
      `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action 'self'${forwardsTo}; ` +
      "base-uri 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex, nofollow',
  };
}
