/**
 * Characters that must not reach a screen unescaped: they move the cursor, change colours or the title, reverse the
 * writing direction, break lines or are invisible. Covers ASCII and Latin-1 controls, line and paragraph separators,
 * the empty Braille cell, annotation marks, and characters that fonts render as nothing: direction marks, zero-width
 * characters, fillers, variation selectors and tags.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are not to be printed.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Makes text fit for one line: invisible characters become JSON escapes such as `\u001b` or `\n`. */
export const visible = (text: string): string => text.replace(UNSEEN, escaped);

/** Escapes like `visible`, but keeps line ends (LF or CRLF) and tabs. JSON keeps its meaning. */
export const visibleLines = (text: string): string =>
  text.replace(UNSEEN, (unseen, at: number) =>
    unseen === '\n' || unseen === '\t' || (unseen === '\r' && text[at + 1] === '\n')
      ? unseen
      : escaped(unseen),
  );

const escaped = (unseen: string): string =>
  SHORT[unseen] ??
  Array.from({ length: unseen.length }, (_, at) => `\\u${hex(unseen.charCodeAt(at))}`).join('');

const hex = (unit: number) => unit.toString(16).padStart(4, '0');

/** Escapes like `visible`, but also shows repeated, leading, trailing and unusual blanks to a person who decides. */
export const wholly = (text: string): string => blanksSeen(visible(text));

/** Returns text in which blanks cannot move what follows out of sight or elsewhere. */
export const blanksSeen = (text: string): string =>
  text
    .replace(/ {2,}|^ | $/g, (run) => '␣'.repeat(run.length))
    .replace(/(?! )\p{Zs}/gu, (blank) => `\\u${hex(blank.charCodeAt(0))}`);
