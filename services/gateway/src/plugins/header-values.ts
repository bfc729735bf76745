import type { IncomingMessage } from 'node:http';

/** Every value of a header, by its name in lower case, as it came in; Node itself keeps only the first of some and joins others. */
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
