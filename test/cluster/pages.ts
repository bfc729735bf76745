import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Marks a line that is not run here. */
const NOT_HERE = '†';
const PAGES = join(import.meta.dirname, '../../docs');

/** The shell script of a page with a line that begins so, without the lines that are not run here. */
export function scriptOf(page: string, begins: string): string {
  const text = readFileSync(join(PAGES, page), 'utf8').replace(new RegExp(`^.*${NOT_HERE}.*\n`, 'gm'), '');
  const scripts = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, script = '']) => script);
  const found = scripts.find((script) => `\n${script}`.includes(`\n${begins}`));
  if (found === undefined) throw new Error(`${page} has no command ${begins}`);
  return found;
}

/** The line of a page's scripts that begins so, without its comment. */
export function commandOf(page: string, begins: string): string {
  const line = scriptOf(page, begins)
    .split('\n')
    .find((one) => one.startsWith(begins));
  return (line ?? '').replace(/\s+#.*$/, '');
}

/** Every command within the text of a page that begins so, once; what has a gap to fill is none. */
export function commandsIn(page: string, begins: string): string[] {
  const text = readFileSync(join(PAGES, page), 'utf8');
  const all = [...text.matchAll(/`([^`\n]+)`/g)].map(([, command = '']) => command);
  return [...new Set(all.filter((command) => command.startsWith(begins) && !command.includes('…')))];
}
