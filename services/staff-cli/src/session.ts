import type { Caller } from './calls/caller.ts';
import { openCaller } from './calls/caller.ts';
import type { Settings } from './config.ts';
import { openConnector } from './connection/connector.ts';
import { type Context, resolveContext } from './connection/context.ts';
import { findToken } from './connection/token.ts';
import type { FormatFlags } from './output/format.ts';
import type { Terminal } from './output/terminal.ts';

/** The external dependencies of a command. */
export interface Runtime {
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
  { settings, now, signal }: Runtime,
  work: (session: Session) => Promise<T>,
  labelOf?: (path: string) => string | undefined,
): Promise<T> {
  const context = await resolveContext(flags, settings);
  const { token } = findToken(context, flags.tokenFile, settings, now());
  const timeoutMs = flags.timeout * 1_000;
  const connector = openConnector(context, { timeoutMs, signal });
  const caller = openCaller({ context, connector, token, timeoutMs, signal, ...(labelOf && { labelOf }) });
  try {
    return await work({ context, caller });
  } finally {
    caller.close();
    connector.close();
  }
}
