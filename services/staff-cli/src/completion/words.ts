/** The completions after some words. */
export interface Node {
  /** The preceding words, such as `accounts create`. Empty at the start. */
  readonly path: string;
  readonly words: readonly Word[];
  readonly flags: readonly FlagWord[];
}

export interface Word {
  readonly word: string;
  readonly help: string;
}

export interface FlagWord extends Word {
  readonly takesValue: boolean;
  /** The valid values, if known. */
  readonly choices: readonly string[];
}
