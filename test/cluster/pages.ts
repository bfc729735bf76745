import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a line says that is not run here: its page says why. */
const NOT_HERE = '†';
const PAGES = join(import.meta.dirname, '../../docs');

/** The shell scripts of a page's fences, in order, without the lines that it says are not run. */
function scriptsOf(page: string): string[] {
  const text = readFileSync(join(PAGES, page), 'utf8');
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, script = '']) => withoutMarked(script));
}

/** The script of a page that has a line which begins so. Throws when there is none. */
export function scriptOf(page: string, begins: string): string {
  const found = scriptsOf(page).find((script) => script.split('\n').some((line) => line.startsWith(begins)));
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

function withoutMarked(script: string): string {
  const kept = script.split('\n').filter((line) => !line.includes(NOT_HERE));
  return kept.join('\n');
}
