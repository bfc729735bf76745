/** The text to search for, which is a URL parameter. */
export interface FindSearch {
  readonly what: string;
}

/** Returns the text of a URL, at most 128 characters. */
export const findSearch = ({ what }: Record<string, unknown>): FindSearch => ({
  what: typeof what === 'string' ? what.slice(0, 128) : '',
});
