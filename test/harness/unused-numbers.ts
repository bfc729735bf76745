import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stackFile } from './stack.ts';

const BLOCK = 1_000;
let next = 0;
let end = 0;

/**
 * Returns a number that nothing else has been given for the running stack: no other test file, worker, process or run.
 * A process claims numbers in blocks, each by creating a file that must not exist, in a folder that ends with the
 * stack's databases. Throws when a stack that is kept has used up all `below`.
 */
export function unusedNumber(below: number): number {
  if (next === end) {
    next = claimBlock() * BLOCK;
    end = next + BLOCK;
  }
  if (next >= below) throw new Error('this stack has no unused customers left: start a fresh one');
  return next++;
}

function claimBlock(): number {
  const folder = join(dirname(stackFile()), 'customers');
  mkdirSync(folder, { recursive: true });
  for (let block = readdirSync(folder).length; ; block += 1) {
    try {
      writeFileSync(join(folder, String(block)), '', { flag: 'wx' });
      return block;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}
