/** A process that the supervisor keeps running. */
export interface Program {
  /** Its name in logs, in stack.json and on the terminal. */
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** How it is asked to stop in an orderly way. */
  readonly stopSignal: NodeJS.Signals;
  /** How long it may take to stop before it is ended by force, in milliseconds. */
  readonly stopWithinMs: number;
  /** A Node process of ours: it holds a channel to the supervisor and ends itself when that breaks. */
  readonly channel: boolean;
  /** Called before each start, to clear what a crash left behind. */
  readonly prepare?: () => Promise<void> | void;
  /** True once the process answers. Must have a bound of its own. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinMs: number;
}
