import type { ServiceContext } from '../context.ts';

/** What one run of a sweep came to. */
export interface Swept {
  readonly count: number;
  /** Whether there is more than one run may do: it is followed by another at once. */
  readonly more: boolean;
}

/** Work that nobody asks for, done in runs of bounded size. */
export interface Sweep {
  /** What its line in the log says when it found something. */
  readonly found: string;
  /** The rest between two runs, in milliseconds. */
  readonly everyMs: number;
  run(context: ServiceContext): Promise<Swept>;
}
