/** What can follow after some words. */
export interface Node {
  /** The words before, such as `accounts create`; empty at the beginning. */
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
  /** The values that fit, where they are known. */
  readonly choices: readonly string[];
}
