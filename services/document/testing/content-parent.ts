/**
 * Program: starts a check of content as the scanner does, and prints how it ended. Its arguments are a program to run
 * instead of the check, and the socket of a server that runs checks. Stays until its standard input ends.
 */
import { startContentProcess } from '../src/content/index.ts';

const [, , program, socket] = process.argv;
const check = startContentProcess(
  'text/csv',
  { refusePdfActions: true },
  { ...(program && { program }), socket },
);
try {
  await check.take(Buffer.from('a,b\n'));
  console.log(String((await check.fault()) === undefined));
} catch (error) {
  console.log((error as Error).name);
} finally {
  check.close();
}
process.stdin.resume();
