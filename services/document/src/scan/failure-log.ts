import type { Logger } from '@supplier/lib/runtime/log';

/** Logs a lasting failure when it begins and when it ends, not each time it recurs. */
export interface FailureLog {
  /** Reports the failure; `fields` identify it. */
  failed(fields: { readonly reason: string; readonly err?: unknown }): void;
  recovered(): void;
}

/** Writes one line when a failure begins or its reason changes, and one when it ends. */
export function failureLog(
  log: Logger,
  messages: { readonly failed: string; readonly recovered: string },
): FailureLog {
  let current: string | undefined;
  return {
    failed(fields) {
      if (fields.reason !== current) log.warn(fields, messages.failed);
      current = fields.reason;
    },
    recovered() {
      if (current !== undefined) log.info({ reason: current }, messages.recovered);
      current = undefined;
    },
  };
}
