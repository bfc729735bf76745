export interface Program {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Complete; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly stopSignal: NodeJS.Signals;
  /** The grace period before it is killed. */
  readonly stopWithinMs: number;
  /** Whether it exits when the IPC channel closes. */
  readonly channel: boolean;
  /** Called before each start. */
  readonly prepare?: () => Promise<void> | void;
  /** Must have its own timeout. */
  readonly isReady: () => Promise<boolean>;
  readonly readyWithinMs: number;
}
