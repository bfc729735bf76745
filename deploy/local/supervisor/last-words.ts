import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const TAIL = 32 * 1024;
const LINE_LIMIT = 400;

/** Returns the last error in a log from position `from` on; empty if there is none. */
export function lastWordsIn(logFile: string, from: number): string {
  const log = openSync(logFile, 'r');
  try {
    const start = Math.max(from, fstatSync(log).size - TAIL);
    const buffer = Buffer.alloc(TAIL);
    const length = readSync(log, buffer, 0, TAIL, start);
    return tellingLine(buffer.toString('utf8', 0, length));
  } finally {
    closeSync(log);
  }
}

/** Returns the output line that best explains why a program ended: its last error, else its last line. */
export function tellingLine(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => plainText(line.trim()))
    .filter((line) => line !== '' && !line.startsWith('at ') && !/^Node\.js v\d/.test(line));
  const telling = lines.findLast((line) => /(?:error|fatal|panic)\b/i.test(line)) ?? lines.at(-1) ?? '';
  return telling.slice(0, LINE_LIMIT);
}

/** Formats a structured line as `error: message: cause`, or returns nothing if it isn't an error. */
function plainText(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    const { level, msg, err } = JSON.parse(line);
    if (level !== 'error' && level !== 'fatal') return '';
    const cause = err?.message ?? err?.code;
    return `${level}: ${msg}${cause ? `: ${String(cause).replaceAll(/\s+/g, ' ')}` : ''}`;
  } catch {
    return line;
  }
}
