/**
 * Program: checks the bytes on standard input against the content type in its first argument, with the PDF policy in
 * its second, and prints `clean` or the fault. Needs no service settings. Exits when it uses more memory than a check
 * needs.
 */
import { contentCheck } from './content-check.ts';
import { answerOf } from './content-fault.ts';

/** Node.js takes about 60 MiB, and a check at most about 120 MiB. */
const MAX_RESIDENT_BYTES = 512 * 1024 * 1024;
const LOOK_EVERY_BYTES = 1024 * 1024;

const [, , type = '', pdfActions] = process.argv;
const check = contentCheck(type, { refusePdfActions: pdfActions !== 'accept-pdf-actions' });
let unlooked = LOOK_EVERY_BYTES;
for await (const chunk of process.stdin) {
  check.take(chunk);
  unlooked -= chunk.length;
  if (unlooked > 0) continue;
  unlooked = LOOK_EVERY_BYTES;
  if (process.memoryUsage.rss() > MAX_RESIDENT_BYTES) process.exit(1);
}
process.stdout.write(answerOf(await check.fault()));
