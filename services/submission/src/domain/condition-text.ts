/** The most parts that a condition may be written in, and a policy all in all: names, numbers, texts and signs. */
const MAX_PARTS = 400;
export const MAX_POLICY_PARTS = 6_000;
const MAX_BRACKETS = 16;
const MAX_PART_LENGTH = 200;
/** A text in either kind of quotes, with escapes; a name; a number; any other sign. What is between them costs nothing. */
const PART = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_]\w*|\d[\w.]*|\S/gs;
const IS_TEXT = /^["']/;
const IS_WORD = /\w$/;

/**
 * In how many parts a condition is written, or why it is too much for the parser, in a sentence. Reads it once, in time that
 * grows with its length alone: the parser goes back where it was wrong, and calls itself as deep as brackets go.
 */
export function measureCondition(text: string): { readonly parts: number } | { readonly fault: string } {
  let [parts, depth] = [0, 0];
  let [before, end] = ['', 0];
  for (const { 0: part, index } of text.matchAll(PART)) {
    parts += 1;
    const touches = parts > 1 && index === end;
    if (parts > MAX_PARTS) return tooMuch(`has more than ${MAX_PARTS} names, values and signs`);
    if (part.length > MAX_PART_LENGTH)
      return tooMuch(`has a name, number or text of more than ${MAX_PART_LENGTH} characters`);
    // Of these this reading and the parser's would differ in where a text ends.
    if (touches && IS_TEXT.test(part) && (IS_TEXT.test(before) || IS_WORD.test(before)))
      return { fault: 'The condition has a text in more than one pair of quotes, or a letter before it.' };
    if (touches && part === '/' && before === '/') return { fault: 'A condition has no comments.' };
    if ('([{'.includes(part)) depth += 1;
    if (')]}'.includes(part)) depth -= 1;
    if (depth > MAX_BRACKETS) return tooMuch(`has brackets in more than ${MAX_BRACKETS} others`);
    [before, end] = [part, index + part.length];
  }
  return { parts };
}

const tooMuch = (what: string) => ({ fault: `The condition ${what}: make it simpler, or several rules.` });
