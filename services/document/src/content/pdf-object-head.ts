/** Of the head of an object stream: seven entries, as a rule, of some twenty bytes. */
export const LONGEST_HEAD = 4_096;
/** What stands in front of `obj`: the end of a line, and two numbers. */
export const LONGEST_NUMBERS = 32;

/** The object begins a line, so that no comment can hold its beginning. */
const HEAD =
  /[\r\n][\t ]*\d{1,10}[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj[\0\t\n\f\r ]*<<([\s\S]*)>>[\0\t\n\f\r ]*$/;
const TOKENS = /\/?[^\0\t\n\f\r ()<>[\]{}/%]+|[^\0\t\n\f\r ]/g;
/** Names without escapes, numbers, references, lists: no comment, no text, no dictionary within. */
const PLAIN = /^(?:\/[^#]+|[+-]?\d+|R|true|false|null|\[|\])$/;
/** Entries that say how the bytes are to be decoded, with those that some readers take for them. */
const DECODING = /^\/(?:Filter|DecodeParms|DP|F|FFilter|FDecodeParms)$/;
const INFLATED_ONCE = /\/Filter (?:\/FlateDecode|\[ \/FlateDecode \])(?: |$)/;

const FIRST = /\/First (\d{1,9})(?: |$)/g;

/** An object stream whose dictionary every reader understands alike. */
export interface PlainObjectStream {
  /** Where the objects begin in the inflated bytes; undefined where the dictionary does not say so in plain words. */
  readonly first: number | undefined;
}

/**
 * The object stream whose head these bytes end with, up to `stream`, when its dictionary is plain and says of its bytes
 * that they are deflated and nothing else. Undefined otherwise.
 */
export function plainObjectStream(head: Buffer): PlainObjectStream | undefined {
  const [, dictionary] = HEAD.exec(head.toString('latin1')) ?? [];
  const tokens: readonly string[] = dictionary?.match(TOKENS) ?? [];
  const isPlain =
    tokens.every((token) => PLAIN.test(token)) &&
    tokens.filter((token) => DECODING.test(token)).length === 1 &&
    INFLATED_ONCE.test(tokens.join(' '));
  const [first, ...others] = tokens.join(' ').matchAll(FIRST);
  if (!isPlain) return undefined;
  return { first: first && others.length === 0 ? Number(first[1]) : undefined };
}
