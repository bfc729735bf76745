import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Marks a line that is not run here. */
const NOT_HERE = '†';
const PAGES = join(import.meta.dirname, '../../docs');

/** Returns the shell script of a page that has a line with this prefix, without the lines that are not run here. */
export function scriptOf(page: string, begins: string): string {
  const text = readFileSync(join(PAGES, page), 'utf8').replace(new RegExp(`^.*${NOT_HERE}.*\n`, 'gm'), '');
  const scripts = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, script = '']) => script);
  const found = scripts.find((script) => `\n${script}`.includes(`\n${begins}`));
  if (found === undefined) throw new Error(`${page} has no command that begins with ${begins}`);
  return found;
}

/** Returns the script line with this prefix on a page, without its comment. */
export function commandOf(page: string, begins: string): string {
  const line = scriptOf(page, begins)
    .split('\n')
    .find((one) => one.startsWith(begins));
  return (line ?? '').replace(/\s+#.*$/, '');
}

/** Returns each distinct command with this prefix in a page's text, except those with placeholders. */
export function commandsIn(page: string, begins: string): string[] {
  const text = readFileSync(join(PAGES, page), 'utf8');
  const all = [...text.matchAll(/`([^`\n]+)`/g)].map(([, command = '']) => command);
  return [...new Set(all.filter((command) => command.startsWith(begins) && !command.includes('…')))];
}
