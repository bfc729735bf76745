import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stackFile } from './stack.ts';

const BLOCK = 1_000;
let next = 0;
let end = 0;

/**
 * Returns a number that is unique within the running stack, across test files, workers, processes and runs. A process
 * claims numbers in blocks by creating a file that must not exist, in a folder with the same lifetime as the stack's
 * databases. Throws when a long-lived stack has used all numbers under `below`.
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
