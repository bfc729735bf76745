import { createLogger } from '@supplier/lib/log';

/** A logger that keeps its lines instead of printing them. */
export function testLog() {
  const lines: Record<string, unknown>[] = [];
  const log = createLogger('webhook', 'debug', { write: (line) => lines.push(JSON.parse(line)) });
  return { log, lines };
}
