import { createHash, randomBytes } from 'node:crypto';
import type { KeyRing } from '@supplier/lib/crypto';
import { type AccountId, type EndpointId, newId } from '@supplier/lib/ids';
import type pg from 'pg';
import { eventBody } from './status-events.ts';

const ROWS_PER_INSERT = 1_000;

/** An endpoint of an account of its own. */
export interface BenchEndpoint {
  readonly accountId: AccountId;
  readonly endpointId: EndpointId;
  readonly secret: string;
  readonly path: string;
}

/** The webhook service's queue, filled and watched by way of its database. */
export interface DeliveryQueue {
  /** Makes endpoints, disabled: nothing is delivered to them yet, while events can be recorded for them. */
  makeEndpoints(count: number, urlOf: (index: number) => string): Promise<BenchEndpoint[]>;
  /** Records `count` events that are due at once, shared out evenly. */
  record(endpoints: readonly BenchEndpoint[], count: number): Promise<void>;
  enable(endpoints: readonly BenchEndpoint[]): Promise<void>;
  /** Whether anything waits or is under way. */
  isEmpty(): Promise<boolean>;
  /** Brings the planner's statistics up to date, as the server does by itself after a while. */
  analyze(): Promise<void>;
}

export function deliveryQueue(pool: pg.Pool, ring: KeyRing): DeliveryQueue {
  return {
    async makeEndpoints(count, urlOf) {
      const endpoints: BenchEndpoint[] = [];
      for (let index = 0; index < count; index += 1) {
        const url = urlOf(index);
        const endpoint = newEndpoint(new URL(url).pathname);
        await insertEndpoint(pool, ring, endpoint, url);
        endpoints.push(endpoint);
      }
      return endpoints;
    },
    async record(endpoints, count) {
      for (let done = 0; done < count; done += ROWS_PER_INSERT)
        await insertEvents(pool, ring, endpoints, done, Math.min(ROWS_PER_INSERT, count - done));
    },
    async enable(endpoints) {
      await pool.query(`UPDATE "endpoint" SET "enabled" = true WHERE "id" = ANY($1::uuid[])`, [
        endpoints.map(({ endpointId }) => endpointId),
      ]);
    },
    async isEmpty() {
      const { rows } = await pool.query<{ empty: boolean }>(
        `SELECT NOT EXISTS (SELECT FROM "event" WHERE "lease_until" IS NOT NULL)
            AND NOT EXISTS (SELECT FROM "event" WHERE "next_attempt_at" IS NOT NULL) AS "empty"`,
      );
      return rows[0]?.empty ?? false;
    },
    async analyze() {
      await pool.query('ANALYZE');
    },
  };
}

function newEndpoint(path: string): BenchEndpoint {
  return {
    accountId: newId<AccountId>(),
    endpointId: newId<EndpointId>(),
    secret: `whsec_${randomBytes(32).toString('base64url')}`,
    path,
  };
}

async function insertEndpoint(
  pool: pg.Pool,
  ring: KeyRing,
  { accountId, endpointId, secret }: BenchEndpoint,
  url: string,
): Promise<void> {
  const sealed = ring.seal(Buffer.from(secret), {
    table: 'endpoint',
    column: 'sealed_secret',
    row: endpointId,
  });
  const fingerprint = createHash('sha256').update(secret).digest('hex').slice(0, 8);
  await pool.query(
    `WITH "made" AS (
       INSERT INTO "endpoint" ("id", "account_id", "environment", "url", "enabled", "sealed_secret",
                               "key_fingerprint", "created_at")
       VALUES ($1, $2, 'sandbox', $3, false, $4, $5, now()) RETURNING "id"
     )
     INSERT INTO "endpoint_activity" ("endpoint_id", "active_from") SELECT "id", now() FROM "made"`,
    [endpointId, accountId, url, sealed, fingerprint],
  );
}

async function insertEvents(
  pool: pg.Pool,
  ring: KeyRing,
  endpoints: readonly BenchEndpoint[],
  from: number,
  count: number,
): Promise<void> {
  const now = new Date();
  const events = Array.from({ length: count }, (_, index) => ({
    ...eventBody(now),
    endpoint: endpoints[(from + index) % endpoints.length],
  }));
  await pool.query({
    name: 'record-events',
    text: `INSERT INTO "event" ("id", "submission_id", "account_id", "environment", "endpoint_id", "change",
                                "occurred_at", "recorded_at", "sealed_body", "state", "next_attempt_at")
           SELECT "id", "submission_id", "account_id", 'sandbox', "endpoint_id", 'decided', $6, $6, "body",
                  'pending', $6
             FROM unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::bytea[])
               AS "e"("id", "submission_id", "account_id", "endpoint_id", "body")`,
    values: [
      events.map(({ id }) => id),
      events.map(({ submissionId }) => submissionId),
      events.map(({ endpoint }) => endpoint?.accountId),
      events.map(({ endpoint }) => endpoint?.endpointId),
      events.map(({ id, body }) => ring.seal(body, { table: 'event', column: 'sealed_body', row: id })),
      now,
    ],
  });
}
