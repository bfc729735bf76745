/** Matches one JSON token after optional white space: a mark, a string, or a number or literal. */
const TOKEN =
  /[ \t\n\r]*(?:(?<mark>[{}[\],:])|(?<string>"(?:[ !#-[\]-\u{10ffff}]|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*")|(?<atom>(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])))/uy;
const STARTS_JSON = /^[{[\d"+.-]|^(?:true|false|null)/;
const NO_JSON = 'The body is not JSON. Send a JSON object, starting with {.';
const FORM = /^[\w.%+[\]-]+=/;
const SPACE = /[ \t\n\r]*/y;

/** What can come next: a value, a key, the colon after a key, or what follows a value. */
type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

/**
 * Returns where a text stops being JSON and how to fix it, as a sentence that quotes nothing of the text. Requires a
 * text that is not JSON.
 */
export function jsonProblem(text: string): string {
  const trimmed = text.trimStart();
  if (FORM.test(trimmed)) return 'The body is a form. Send a JSON object.';
  if (trimmed !== '' && !STARTS_JSON.test(trimmed)) return NO_JSON;
  const at = firstProblem(text);
  const before = text.slice(0, at.offset).split('\n');
  const place = `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
  return `The body is not valid JSON at ${place}. ${adviceFor(text, at)}`;
}

interface Problem {
  readonly offset: number;
  readonly expected: Expected;
  readonly afterComma: boolean;
}

function firstProblem(text: string): Problem {
  const open: ('{' | '[')[] = [];
  let expected: Expected = 'value';
  let afterComma = false;
  let offset = 0;
  for (;;) {
    TOKEN.lastIndex = offset;
    const { mark, string } = TOKEN.exec(text)?.groups ?? {};
    const next: Expected | undefined =
      TOKEN.lastIndex === 0 ? undefined : after(mark ?? (string ? 'string' : 'atom'), expected, open);
    if (next === undefined) {
      SPACE.lastIndex = offset;
      SPACE.exec(text);
      return { offset: SPACE.lastIndex, expected, afterComma };
    }
    offset = TOKEN.lastIndex;
    expected = next;
    afterComma = mark === ',';
  }
}

/** Returns what is expected after a token; undefined if the token itself was not expected. Updates `open`. */
function after(token: string, expected: Expected, open: ('{' | '[')[]): Expected | undefined {
  const endOfValue = () => (open.length === 0 ? 'nothing' : 'comma or end');
  switch (expected) {
    case 'nothing':
      return undefined;
    case 'colon':
      return token === ':' ? 'value' : undefined;
    case 'key':
    case 'key or end':
      if (token === 'string') return 'colon';
      break;
    case 'value':
    case 'value or end':
      if (token === 'string' || token === 'atom') return endOfValue();
      if (token === '{' || token === '[') {
        open.push(token);
        return token === '{' ? 'key or end' : 'value or end';
      }
      break;
    case 'comma or end':
      if (token === ',') return open.at(-1) === '{' ? 'key' : 'value';
  }
  const closes = token === (open.at(-1) === '{' ? '}' : ']') && expected.endsWith('or end');
  if (!closes || open.pop() === undefined) return undefined;
  return endOfValue();
}

const QUOTES = /['`‘’“”«»]/;
/** Matches a string that contains a control character. */
const CONTROL = /^"(?:[^"\\]|\\.)*?[^ -\u{10ffff}]/u;
const WORD = /^[+-]?[\p{L}_$]/u;

function adviceFor(text: string, { offset, expected, afterComma }: Problem): string {
  const rest = text.slice(offset);
  const next = rest[0];
  if (next === undefined) return 'It is incomplete. Send the whole body.';
  if (expected === 'nothing') return 'Remove what follows the JSON value.';
  if (afterComma && (next === '}' || next === ']')) return 'Remove the comma before the closing bracket.';
  if (next === '/' || next === '#') return 'Remove the comment.';
  if (QUOTES.test(next)) return 'Use straight double quotation marks (").';
  if (next === '"' && (expected === 'comma or end' || expected === 'colon')) return missing(expected);
  if (next === '"')
    return CONTROL.test(rest)
      ? 'Escape control characters in strings, such as \\n for a line break.'
      : 'Close the string, and escape each backslash and quotation mark in it.';
  if (expected === 'key' || expected === 'key or end')
    return 'Put the property name in double quotation marks.';
  if (WORD.test(rest) && expected.startsWith('value'))
    return 'Put text in double quotation marks. Only numbers, true, false and null are written without.';
  if (/[\d.+-]/.test(next) && expected.startsWith('value'))
    return 'Write the number in decimal digits, without leading zeros or a plus sign.';
  return missing(expected);
}

function missing(expected: Expected): string {
  switch (expected) {
    case 'comma or end':
      return 'A comma or a closing bracket is missing.';
    case 'colon':
      return 'A colon is missing after the property name.';
    default:
      return 'A value is missing.';
  }
}
