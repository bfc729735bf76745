/**
 * Characters that a reader can't see, or that change how the text around them is shown: controls, line separators,
 * invisible formatting, bidirectional marks, fillers, the empty Braille cell, and code points without a character
 * (private-use, unassigned), which each reader sees differently.
 */
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\u2800]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/gu;

/** The fewest letters and digits that say why. */
const SHORTEST_REASON = 3;

/** Describes what is wrong with a purpose, a reason or a note, or returns undefined. */
export const reasonProblem = (text: string): string | undefined => writtenProblem(text, SHORTEST_REASON);

/** Describes what is wrong with a name, or returns undefined. */
export const nameProblem = (text: string): string | undefined => writtenProblem(text, 1);

function writtenProblem(text: string, atLeast: number): string | undefined {
  if (UNSEEN.test(text)) return 'must not contain line breaks, control characters or invisible characters';
  if ((text.match(LETTER_OR_DIGIT)?.length ?? 0) >= atLeast) return undefined;
  return atLeast === 1 ? 'must have a letter or digit' : `must have at least ${atLeast} letters or digits`;
}
