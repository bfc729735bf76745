import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A replacement of text that a file contains exactly once. */
export interface Edit {
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** What processes are started from. */
const COPIED = ['services', 'proto', 'deploy'];
const LEFT_OUT = ['.git', '.run', 'test'];

/** Copies the sources of `checkout` to `copy`, with links to the packages and everything else that isn't changed. */
export function copySources(checkout: string, copy: string): void {
  // A run that was killed leaves its copy.
  rmSync(copy, { recursive: true, force: true });
  mkdirSync(copy, { recursive: true });
  for (const name of readdirSync(checkout)) {
    const [from, to] = [join(checkout, name), join(copy, name)];
    if (COPIED.includes(name)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    else if (!LEFT_OUT.includes(name)) symlinkSync(from, to);
  }
}

/**
 * Applies the edits of a planted bug to the sources in `checkout`. Returns a function that undoes them. Throws before
 * anything is changed if a file doesn't contain the text exactly once.
 */
export function plant(checkout: string, name: string, edits: readonly Edit[]): () => void {
  const changed = new Map<string, string>();
  for (const edit of edits) {
    const path = join(checkout, edit.file);
    changed.set(path, edited(name, edit, changed.get(path) ?? readFileSync(path, 'utf8')));
  }
  const original = [...changed.keys()].map((path) => [path, readFileSync(path, 'utf8')] as const);
  for (const [path, text] of changed) writeFileSync(path, text);
  return () => {
    for (const [path, text] of original) writeFileSync(path, text);
  };
}

/** Returns the text with an edit applied. Throws if it doesn't contain the text to find exactly once. */
export function edited(name: string, { file, find, replace }: Edit, text: string): string {
  const [before, after, ...more] = text.split(find);
  if (before === undefined || after === undefined || more.length > 0)
    throw new Error(
      `${file} contains the text of the planted bug ${name} ${text.split(find).length - 1} times, not once: ` +
        'adapt the bug to the present sources in test/drills/faults/planted',
    );
  return before + replace + after;
}
