/**
 * What must not reach a screen as it is, wherever it comes from: it moves the cursor, changes colours or the title, turns the
 * direction of writing, breaks lines or is not seen. Controls of ASCII and of Latin 1, separators of lines and paragraphs, the
 * empty Braille cell, marks of annotations, and what Unicode has fonts draw as nothing: marks of direction, what has no width,
 * fillers, variation selectors and tags.
 */
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that are not to be printed.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** Text made fit for one line: what cannot be seen is written as JSON escapes it, such as `\u001b` or `\n`. */
export const visible = (text: string): string => text.replace(UNSEEN, escaped);

/** The same for a text of several lines: its line ends (LF or CRLF) and tabs stay. JSON stays the JSON that it is. */
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

/** The same where somebody decides upon it: several blanks, at an end or of another kind than usual, are seen as well. */
export const wholly = (text: string): string => blanksSeen(visible(text));

/** Text in which blanks cannot move what follows out of sight, or into another place. */
export const blanksSeen = (text: string): string =>
  text
    .replace(/ {2,}|^ | $/g, (run) => '␣'.repeat(run.length))
    .replace(/(?! )\p{Zs}/gu, (blank) => `\\u${hex(blank.charCodeAt(0))}`);
