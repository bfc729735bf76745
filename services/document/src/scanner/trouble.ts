import type { Logger } from '@supplier/lib/log';

/** Something that comes and goes, and is told of when it does rather than every time it is met. */
export interface Trouble {
  /** It is there; `fields` say which. */
  met(fields: { readonly reason: string; readonly err?: unknown }): void;
  over(): void;
}

/** Writes one line when trouble begins or becomes another, and one when it is over. */
export function trouble(log: Logger, lines: { readonly begins: string; readonly ends: string }): Trouble {
  let current: string | undefined;
  return {
    met(fields) {
      if (fields.reason !== current) log.warn(fields, lines.begins);
      current = fields.reason;
    },
    over() {
      if (current !== undefined) log.info({ reason: current }, lines.ends);
      current = undefined;
    },
  };
}
