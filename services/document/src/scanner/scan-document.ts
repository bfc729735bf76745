import type { Clock } from '@supplier/lib/time';
import { announceScanCopy, giveUpScanCopy, type ScanCopy } from '../db/announce-scan-copy.ts';
import type { ClaimedScan } from '../db/claim-scans.ts';
import type { Database } from '../db/database.ts';
import { recordScan } from '../db/record-scan.ts';
import type { ScanResult } from '../domain/content-result.ts';
import { newObjectKey } from '../domain/object-keys.ts';
import { ObjectChanged, type ObjectStore } from '../object-store/object-store.ts';
import { scanObject } from './scan-object.ts';
import type { Scanner } from './scanner.ts';

export interface ScanParts {
  readonly db: Database;
  readonly store: ObjectStore;
  readonly scanner: Scanner;
  readonly clock: Clock;
}

/** What became of a claimed scan: its result, and whether that was still wanted. */
export interface ScannedDocument {
  readonly result: ScanResult;
  readonly recorded: boolean;
}

/**
 * Makes a claimed scan to its end. Clean bytes move to the clean area, bound to the version that was scanned; bytes of a
 * document that was clean and no longer is move back. A result that comes late changes nothing, and what was copied for
 * it goes again. Rejects like scanObject, with nothing changed. Implements docs/contract.md, section 2.
 */
export async function scanDocument(
  parts: ScanParts,
  scan: ClaimedScan,
  signal: AbortSignal,
): Promise<ScannedDocument> {
  const result = await scanObject(parts, scan, signal);
  try {
    return await settle(parts, scan, result);
  } catch (error) {
    if (!(error instanceof ObjectChanged)) throw error;
    return settle(parts, scan, { status: 'scan_failed', reason: 'object_changed' });
  }
}

async function settle(parts: ScanParts, scan: ClaimedScan, result: ScanResult): Promise<ScannedDocument> {
  const { db, clock } = parts;
  const area = areaFor(result);
  if (area === undefined || area === scan.object.area) {
    const recorded = await recordScan(db, { scan, result, moved: undefined, at: clock.now() });
    return { result, recorded };
  }
  const copy: ScanCopy = { area, key: newObjectKey() };
  await announceScanCopy(db, copy, scan.leaseUntil);
  const etag = await parts.store.copy(scan.object, copy);
  const recorded = await recordScan(db, { scan, result, moved: { ...copy, etag }, at: clock.now() });
  if (!recorded) await giveUpScanCopy(db, copy, clock.now());
  return { result, recorded };
}

/** Where bytes of that result belong; undefined where there are none to move. */
function areaFor(result: ScanResult): ScanCopy['area'] | undefined {
  if (result.status === 'clean') return 'clean';
  return result.status === 'scan_failed' && result.reason === 'object_changed' ? undefined : 'held';
}
