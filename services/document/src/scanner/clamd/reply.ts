import { ScannerUnavailable, type ScanVerdict } from '../scanner.ts';

const LONGEST_NAME = 200;
const SIZE_LIMIT = 'INSTREAM size limit exceeded. ERROR';

/** What clamd's answer to INSTREAM means. Throws ScannerUnavailable for an answer that is no verdict. */
export function verdictOf(reply: string): ScanVerdict {
  if (reply === 'stream: OK') return { kind: 'clean' };
  if (reply === SIZE_LIMIT) return { kind: 'limits_exceeded' };
  const found = /^stream: (.+) FOUND$/s.exec(reply)?.[1];
  if (found === undefined) throw new ScannerUnavailable('gave an answer that is no verdict');
  if (found.startsWith('Heuristics.Encrypted.')) return { kind: 'encrypted' };
  if (found.startsWith('Heuristics.Limits.Exceeded')) return { kind: 'limits_exceeded' };
  return { kind: 'infected', signature: printable(found) };
}

function printable(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, '_').slice(0, LONGEST_NAME);
}
