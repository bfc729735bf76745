import { pipeline, type Readable, Transform } from 'node:stream';
import type { ContentProcess } from '../content/index.ts';
import { type ScanResult, scanResultOf } from '../model/scan-result.ts';
import { newObjectKey } from '../model/stored-object.ts';
import { ObjectChanged } from '../object-store/object-store.ts';
import { recordScan, removeCopyNow, type ScanCopy, scheduleScanCopyRemoval } from './record-scan.sql.ts';
import type { ClaimedScan } from './scan-queue.sql.ts';
import type { Context } from './scanner-context.ts';

const CHANGED: ScanResult = { status: 'scan_failed', reason: 'object_changed' };

/** The result of a claimed scan, and whether it was recorded or came too late. */
export interface ScannedDocument {
  readonly result: ScanResult;
  readonly recorded: boolean;
}

/**
 * Carries out a claimed scan. Clean bytes move to the clean area, in exactly the version that was scanned; bytes of a
 * document that is no longer clean move back. A late result changes nothing, and its copy is removed. Rejects like
 * scanObject, with nothing changed. Implements docs/contract.md, section 2.
 */
export async function scanDocument(
  context: Context,
  scan: ClaimedScan,
  signal: AbortSignal,
): Promise<ScannedDocument> {
  const result = await scanObject(context, scan, signal);
  try {
    return await record(context, scan, result);
  } catch (error) {
    if (!(error instanceof ObjectChanged)) throw error;
    return record(context, scan, { status: 'scan_failed', reason: 'object_changed' });
  }
}

async function record(context: Context, scan: ClaimedScan, result: ScanResult): Promise<ScannedDocument> {
  const { db, pool, clock } = context;
  const area = areaFor(result);
  if (area === undefined || area === scan.object.area) {
    const recorded = await recordScan(db, { scan, result, moved: undefined, at: clock.now() });
    return { result, recorded };
  }
  const copy: ScanCopy = { area, key: newObjectKey() };
  if (!(await scheduleScanCopyRemoval(pool, scan, copy, clock.now()))) return { result, recorded: false };
  const etag = await context.store.copy(scan.object, copy);
  const recorded = await recordScan(db, { scan, result, moved: { ...copy, etag }, at: clock.now() });
  if (!recorded) await removeCopyNow(db, scan, copy, clock.now());
  return { result, recorded };
}

/** Returns the area for bytes with that result; undefined when there are none to move. */
function areaFor(result: ScanResult): ScanCopy['area'] | undefined {
  if (result.status === 'clean') return 'clean';
  return result.status === 'scan_failed' && result.reason === 'object_changed' ? undefined : 'held';
}

/**
 * Reads the stored object once, through the content check into the scanner, which reads all of it even when the content
 * is already known to be wrong. Rejects with StoreUnavailable, ScannerUnavailable, ContentUnchecked or the signal's
 * reason when there is no result. Implements docs/contract.md, section 2.
 */
export async function scanObject(
  { store, scanner, inspect }: Pick<Context, 'store' | 'scanner' | 'inspect'>,
  { object, contentType, byteSize }: Pick<ClaimedScan, 'object' | 'contentType' | 'byteSize'>,
  signal: AbortSignal,
): Promise<ScanResult> {
  let check: ContentProcess | undefined;
  try {
    const bytes = await store.read(object.area, object.key, object.etag);
    check = inspect(contentType);
    const verdict = await scanner.scan(inspected(bytes, check), signal);
    // Any other verdict takes precedence over the type, and the scanner may have stopped reading early.
    const result = scanResultOf(verdict, verdict.kind === 'clean' ? await check.fault() : undefined);
    return result.status === 'clean' && check.size() !== byteSize ? CHANGED : result;
  } catch (error) {
    if (error instanceof ObjectChanged) return CHANGED;
    throw error;
  } finally {
    check?.close();
  }
}

/** Passes the bytes through the check; ends, fails and is destroyed together with its source. */
function inspected(bytes: Readable, check: ContentProcess): Readable {
  const inspect = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      check.take(chunk).then(() => done(null, chunk), done);
    },
  });
  // The reader of the stream gets its errors.
  return pipeline(bytes, inspect, () => {});
}
