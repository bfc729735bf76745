import { ScannerUnavailable, type ScanVerdict } from '../scanner.ts';
import { storedZip } from './stored-zip.ts';

/** Deeper than clamd can be set to look. */
const TOO_DEEP = 101;

const locked = storedZip(Buffer.alloc(32, 1), { encrypted: true });
const nested = Array.from({ length: TOO_DEEP }).reduce<Buffer>(
  (inner) => storedZip(inner),
  Buffer.from('inner'),
);

/**
 * Makes sure that clamd tells what it could not look into. As it is installed it calls such files OK, and so would we.
 * Rejects with ScannerUnavailable when it does not tell.
 */
export async function checkSettings(scan: (bytes: Buffer) => Promise<ScanVerdict>): Promise<void> {
  if ((await scan(locked)).kind !== 'encrypted')
    throw new ScannerUnavailable('is not set to tell what is encrypted (AlertEncrypted yes)');
  if ((await scan(nested)).kind !== 'limits_exceeded')
    throw new ScannerUnavailable('is not set to tell what is over its limits (AlertExceedsMax yes)');
}
