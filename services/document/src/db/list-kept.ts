import type { Area } from '../object-store/object-store.ts';
import type { Database } from './database.ts';

/** A document whose bytes the store must have. */
export interface KeptDocument {
  readonly documentId: string;
  readonly area: Area;
  readonly key: string;
  readonly etag: string;
  readonly byteSize: number;
  readonly scanStatus: 'pending_scan' | 'clean' | 'infected' | 'scan_failed';
}

/** Up to `limit` finalized documents after the one of id `after`, by id. */
export async function listKept(db: Database, after: string, limit: number): Promise<KeptDocument[]> {
  const rows = await db.document.findMany({
    where: { state: 'finalized', id: { gt: after } },
    orderBy: { id: 'asc' },
    take: limit,
    select: KEPT,
  });
  return rows.flatMap(keptOf);
}

/** The document as it is now; undefined when its bytes need not be there any more. */
export async function findKept(db: Database, documentId: string): Promise<KeptDocument | undefined> {
  const row = await db.document.findFirst({ where: { id: documentId, state: 'finalized' }, select: KEPT });
  return row ? keptOf(row)[0] : undefined;
}

const KEPT = { id: true, area: true, heldKey: true, etag: true, byteSize: true, scanStatus: true } as const;

interface Row {
  readonly id: string;
  readonly area: Area | null;
  readonly heldKey: string | null;
  readonly etag: string | null;
  readonly byteSize: bigint;
  readonly scanStatus: KeptDocument['scanStatus'] | null;
}

function keptOf({ id: documentId, area, heldKey: key, etag, byteSize, scanStatus }: Row): KeptDocument[] {
  // The database holds that a finalized document has all of these.
  if (area === null || key === null || etag === null || scanStatus === null) return [];
  return [{ documentId, area, key, etag, byteSize: Number(byteSize), scanStatus }];
}
