export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Complete; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stopSignal: NodeJS.Signals;
  /** Before it is killed. */
  readonly stopWithinMs: number;
  /** Whether it ends itself when the IPC channel closes. */
  readonly channel: boolean;
  /** Called before each start. */
  readonly prepare?: () => Promise<void> | void;
  /** Must have a timeout of its own. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinMs: number;
}
