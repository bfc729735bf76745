/**
 * Program: scans the number of mebibytes in its second argument with the clamd on the socket in its first, and prints
 * by how many bytes its maximum resident size grew. A separate process, so that nothing else is measured.
 */
import { Readable } from 'node:stream';
import { contentCheck } from '../src/content/content-check.ts';
import { clamdScanner } from '../src/scan/clamd/clamd-scanner.ts';

const [, , path = '', mebibytes = '0'] = process.argv;
const KIB = 1024;
const CHUNK = 64 * KIB;

await scan(1);
const before = process.resourceUsage().maxRSS;
await scan(Number(mebibytes) * 16);
process.stdout.write(String((process.resourceUsage().maxRSS - before) * KIB));

async function scan(chunks: number): Promise<void> {
  const check = contentCheck('text/csv');
  const bytes = Readable.from(
    (async function* () {
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        const some = Buffer.alloc(CHUNK, `${chunk};1.00\n`);
        check.take(some);
        yield some;
      }
    })(),
  );
  const verdict = await clamdScanner({ path }).scan(bytes, new AbortController().signal);
  if (verdict.kind !== 'clean' || (await check.fault()) !== undefined)
    throw new Error(`unexpected verdict ${verdict.kind}`);
}
