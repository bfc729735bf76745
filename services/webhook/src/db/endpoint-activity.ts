import type { EndpointId } from '@supplier/lib/ids';
import type { SqlExecutor } from '@supplier/lib/postgres';

/**
 * Lets the endpoint be active from `now` on. Intervals never touch: should the last one end in this very millisecond, or
 * later by another machine's clock, the new one begins a millisecond after it, so that what was dropped meanwhile lies
 * outside of both. The caller holds the lock on activity and has read `now` under it.
 */
export async function openActivity(tx: SqlExecutor, endpointId: EndpointId, now: Date): Promise<void> {
  await tx.$executeRawUnsafe(
    `INSERT INTO "endpoint_activity" ("endpoint_id", "active_from")
     SELECT $1::uuid, GREATEST($2::timestamptz, max("active_until") + interval '1 millisecond')
       FROM "endpoint_activity" WHERE "endpoint_id" = $1::uuid`,
    endpointId,
    now,
  );
}

/** Lets the endpoint be active no longer: `now` itself lies outside. The caller holds the lock, as above. */
export async function closeActivity(tx: SqlExecutor, endpointId: EndpointId, now: Date): Promise<void> {
  await tx.$executeRawUnsafe(
    `UPDATE "endpoint_activity" SET "active_until" = GREATEST($2::timestamptz, "active_from")
      WHERE "endpoint_id" = $1::uuid AND "active_until" IS NULL`,
    endpointId,
    now,
  );
}
