import type { Area } from '../object-store/object-store.ts';
import type { Database } from './database.ts';

/**
 * Which of `keys` nothing refers to: no document that has its bytes there, and no removal that is on its way. At most a
 * thousand keys at a time.
 */
export async function findUnreferenced(db: Database, area: Area, keys: readonly string[]): Promise<string[]> {
  const rows = await db.$queryRaw<{ key: string }[]>`
    SELECT "key" FROM unnest(${[...keys]}::text[]) AS listed("key")
    WHERE NOT EXISTS (
        SELECT FROM object_removal r WHERE r.area = ${area}::store_area AND r.object_key = listed."key")
      AND CASE WHEN ${area} = 'incoming'
        THEN NOT EXISTS (
          SELECT FROM document d WHERE d.object_key = listed."key" AND d.state = 'awaiting_upload')
        ELSE NOT EXISTS (
          SELECT FROM document d
          WHERE d.held_key = listed."key" AND d.area = ${area}::store_area AND d.state = 'finalized')
        END`;
  return rows.map(({ key }) => key);
}
