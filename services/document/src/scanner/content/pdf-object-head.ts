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

/**
 * Whether these bytes end with the head of an object, up to `stream`, whose dictionary is plain and says of its bytes
 * that they are deflated and nothing else.
 */
export function isPlainObjectStream(head: Buffer): boolean {
  const [, dictionary] = HEAD.exec(head.toString('latin1')) ?? [];
  const tokens: readonly string[] = dictionary?.match(TOKENS) ?? [];
  return (
    tokens.every((token) => PLAIN.test(token)) &&
    tokens.filter((token) => DECODING.test(token)).length === 1 &&
    INFLATED_ONCE.test(tokens.join(' '))
  );
}
