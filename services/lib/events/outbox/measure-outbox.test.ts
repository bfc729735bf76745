import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Registry } from '../../runtime/metrics/index.ts';
import { createTestDatabase } from '../../testing/index.ts';
import { measureOutbox } from './measure-outbox.ts';

const schema = readFileSync(new URL('outbox.sql', import.meta.url), 'utf8');

describe('the depth of the outbox', () => {
  it('is what waits to be published, how long the oldest has waited, and what is to be published again', async () => {
    const database = await createTestDatabase({ schema });
    await database.pool.query(
      `INSERT INTO outbox (event_id, aggregate_id, type, envelope, created_at)
       SELECT gen_random_uuid(), gen_random_uuid(), 'x', '', now() - n * interval '30 minutes'
       FROM generate_series(1, 2) AS n`,
    );
    await database.pool.query(
      `INSERT INTO published_event
         (event_id, aggregate_id, type, subject, envelope, created_at, generation, stream_seq)
       SELECT gen_random_uuid(), gen_random_uuid(), 'x', '', '', now() - interval '1 day', 1, n
       FROM generate_series(1, 3) AS n`,
    );
    await database.pool.query(
      `INSERT INTO outbox_refill (stream, reason, after_event_id, last_event_id, lost_generation, keep_through)
       SELECT 'X', 'replay', min(event_id::text)::uuid, max(event_id::text)::uuid, 1, 0 FROM published_event`,
    );
    const registry = new Registry();
    measureOutbox(registry, database.pool);
    const page = await registry.metrics();
    await database.close();
    expect(page).toMatch(/^sss_outbox_refill_remaining_events 2$/m);
    expect(page).toMatch(/^sss_outbox_unpublished_events 2$/m);
    expect(page).toMatch(/^sss_outbox_parked_events 0$/m);
    const age = Number(/^sss_outbox_oldest_unpublished_age_seconds (\S+)$/m.exec(page)?.[1]);
    expect(age).toBeGreaterThanOrEqual(3_600);
    expect(age).toBeLessThan(3_700);
  });

  it('is counted beside more parked events than are counted', async () => {
    const database = await createTestDatabase({ schema });
    await database.pool.query(
      `INSERT INTO outbox (event_id, aggregate_id, type, envelope, created_at, parked_at)
       SELECT gen_random_uuid(), gen_random_uuid(), 'x', '', now() - interval '1 hour',
              CASE WHEN n <= 100001 THEN now() END
       FROM generate_series(1, 100003) AS n`,
    );
    const registry = new Registry();
    measureOutbox(registry, database.pool);
    const page = await registry.metrics();
    await database.close();
    expect(page).toMatch(/^sss_outbox_unpublished_events 2$/m);
    expect(page).toMatch(/^sss_outbox_parked_events 100000$/m);
    expect(page).toMatch(/^sss_outbox_oldest_unpublished_age_seconds 3[6-9]/m);
  });

  it('has no value, rather than a wrong one, while the database is unavailable', async () => {
    const registry = new Registry();
    const unavailable = new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' });
    measureOutbox(registry, unavailable);
    expect(await registry.metrics()).not.toMatch(/^sss_outbox/m);
    await unavailable.end();
  });
});
