/** The maximum number of parts (names, numbers, strings and signs) in a condition, and in a whole policy. */
const MAX_PARTS = 400;
export const MAX_POLICY_PARTS = 6_000;
const MAX_BRACKETS = 16;
const MAX_PART_LENGTH = 200;
/** A string in either kind of quotes, with escapes; a name; a number; any other sign. White space does not count. */
const PART = /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[A-Za-z_]\w*|\d[\w.]*|\S/gs;
const IS_TEXT = /^["']/;
const IS_WORD = /\w$/;

/**
 * Returns the number of parts of a condition, or a sentence explaining why it is too large for the parser. Reads the
 * text in one pass and linear time; the parser backtracks, and recurses as deep as the brackets.
 */
export function measureCondition(text: string): { readonly parts: number } | { readonly fault: string } {
  let [parts, depth] = [0, 0];
  let [before, end] = ['', 0];
  for (const { 0: part, index } of text.matchAll(PART)) {
    parts += 1;
    const touches = parts > 1 && index === end;
    if (parts > MAX_PARTS) return tooMuch(`has more than ${MAX_PARTS} tokens`);
    if (part.length > MAX_PART_LENGTH)
      return tooMuch(`has a name, number or text of more than ${MAX_PART_LENGTH} characters`);
    // Here this function and the parser would disagree on where a string ends.
    if (touches && IS_TEXT.test(part) && (IS_TEXT.test(before) || IS_WORD.test(before)))
      return { fault: 'The condition has a triple-quoted or prefixed string. Use plain quotes.' };
    if (touches && part === '/' && before === '/') return { fault: 'A condition must not have comments.' };
    if ('([{'.includes(part)) depth += 1;
    if (')]}'.includes(part)) depth -= 1;
    if (depth > MAX_BRACKETS) return tooMuch(`nests brackets more than ${MAX_BRACKETS} deep`);
    [before, end] = [part, index + part.length];
  }
  return { parts };
}

const tooMuch = (what: string) => ({
  fault: `The condition ${what}. Simplify it, or split it into several rules.`,
});
