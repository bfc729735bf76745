import type { IncomingMessage } from 'node:http';

/**
 * Returns every value of a header as received; `name` is in lower case. Node itself keeps only the first value of some
 * headers and joins others.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length !== name.length || given.toLowerCase() !== name) continue;
    const value = rawHeaders[at + 1];
    if (value !== undefined) values.push(value);
  }
  return values;
}
