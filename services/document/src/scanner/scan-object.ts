import { pipeline, type Readable, Transform } from 'node:stream';
import type { ClaimedScan } from '../db/claim-scans.ts';
import { type ScanResult, scanResultOf } from '../domain/content-result.ts';
import { ObjectChanged, type ObjectStore } from '../object-store/object-store.ts';
import { type ContentCheck, contentCheck } from './content/content-check.ts';
import type { Scanner } from './scanner.ts';

const CHANGED: ScanResult = { status: 'scan_failed', reason: 'object_changed' };

/**
 * Reads the stored object once, past the content check and into the scanner, which sees all of it even where the content
 * is known to be wrong. Rejects with StoreUnavailable, ScannerUnavailable or the signal's reason when that came to
 * nothing. Implements docs/contract.md, section 2.
 */
export async function scanObject(
  { store, scanner }: { readonly store: ObjectStore; readonly scanner: Scanner },
  { object, contentType, byteSize }: Pick<ClaimedScan, 'object' | 'contentType' | 'byteSize'>,
  signal: AbortSignal,
): Promise<ScanResult> {
  try {
    const check = contentCheck(contentType);
    const bytes = await store.read(object.area, object.key, object.etag);
    const verdict = await scanner.scan(lookedAt(bytes, check), signal);
    const result = scanResultOf(verdict, await check.matches());
    return result.status === 'clean' && check.size() !== byteSize ? CHANGED : result;
  } catch (error) {
    if (error instanceof ObjectChanged) return CHANGED;
    throw error;
  }
}

/** The same bytes, each seen by the check; ends, breaks and is destroyed together with the stream it comes from. */
function lookedAt(bytes: Readable, check: ContentCheck): Readable {
  const look = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      check.take(chunk);
      done(null, chunk);
    },
  });
  // Whoever reads learns of what broke; nobody else has to.
  return pipeline(bytes, look, () => {});
}
