import type { Caller } from './calls/caller.ts';
import { openCaller } from './calls/caller.ts';
import type { Settings } from './config.ts';
import type { FormatFlags } from './output/format.ts';
import type { Terminal } from './output/terminal.ts';
import { type Context, resolveContext } from './where/context.ts';
import { findToken } from './where/token.ts';
import { openWay } from './where/way.ts';

/** The external dependencies of a command. */
export interface Surroundings {
  readonly settings: Settings;
  readonly terminal: Terminal;
  readonly now: () => Date;
  /** Aborts on Ctrl-C. */
  readonly signal: AbortSignal;
  /** Resolves after this many milliseconds. Rejects when interrupted. */
  readonly sleep: (ms: number) => Promise<void>;
}

/** Flags that every command has. */
export interface CommonFlags extends FormatFlags {
  readonly stack?: string;
  readonly context?: string;
  readonly kube?: string;
  readonly kubeRelease?: string;
  readonly tokenFile?: string;
  /** In seconds. */
  readonly timeout: number;
  readonly yes?: boolean;
}

/** A context and a caller for its services. */
export interface Session {
  readonly context: Context;
  readonly caller: Caller;
}

/** Opens a session, runs `work` in it, and closes its connections. */
export async function inSession<T>(
  flags: CommonFlags,
  { settings, now, signal }: Surroundings,
  work: (session: Session) => Promise<T>,
  labelOf?: (path: string) => string | undefined,
): Promise<T> {
  const context = await resolveContext(flags, settings);
  const { token } = findToken(context, flags.tokenFile, settings, now());
  const timeoutMs = flags.timeout * 1_000;
  const way = openWay(context, { timeoutMs, signal });
  const caller = openCaller({ context, way, token, timeoutMs, signal, ...(labelOf && { labelOf }) });
  try {
    return await work({ context, caller });
  } finally {
    caller.close();
    way.close();
  }
}
