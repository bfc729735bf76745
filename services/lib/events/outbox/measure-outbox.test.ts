import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Registry } from '../../runtime/metrics/index.ts';
import { createTestDatabase } from '../../testing/index.ts';
import { measureOutbox } from './measure-outbox.ts';

const schema = readFileSync(new URL('outbox.sql', import.meta.url), 'utf8');

describe('measureOutbox', () => {
  it('reports unpublished events, the age of the oldest, and events to be republished', async () => {
    const database = await createTestDatabase({ schema });
    await database.pool.query(
      `INSERT INTO outbox (event_id, created_at)
       SELECT gen_random_uuid(), now() - n * interval '30 minutes'
       FROM generate_series(1, 2) AS n`,
    );
    await database.pool.query(
      `INSERT INTO published_batch (batch_id, generation, event_ids, stream_seqs)
       SELECT event_id_floor(now() + n * interval '1 second'), 1, array_fill(gen_random_uuid(), ARRAY[n]), '{}'
       FROM generate_series(1, 3) AS n`,
    );
    await database.pool.query(
      `INSERT INTO outbox_refill (stream, reason, after_batch_id, last_batch_id, lost_generation, keep_through)
       SELECT 'X', 'replay', min(batch_id::text)::uuid, max(batch_id::text)::uuid, 1, 0 FROM published_batch`,
    );
    const registry = new Registry();
    measureOutbox(registry, database.pool);
    const page = await registry.metrics();
    await database.close();
    expect(page).toMatch(/^sss_outbox_refill_remaining_events 5$/m);
    expect(page).toMatch(/^sss_outbox_unpublished_events 2$/m);
    expect(page).toMatch(/^sss_outbox_parked_events 0$/m);
    const age = Number(/^sss_outbox_oldest_unpublished_age_seconds (\S+)$/m.exec(page)?.[1]);
    expect(age).toBeGreaterThanOrEqual(3_600);
    expect(age).toBeLessThan(3_700);
  });

  it('reports unpublished events even if more events are parked than it counts', async () => {
    const database = await createTestDatabase({ schema });
    await database.pool.query(
      `INSERT INTO outbox (event_id, created_at, parked_at)
       SELECT gen_random_uuid(), now() - interval '1 hour',
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

  it('reports no value while the database is unavailable', async () => {
    const registry = new Registry();
    const unavailable = new pg.Pool({ connectionString: 'postgresql://nobody@127.0.0.1:1/nothing' });
    measureOutbox(registry, unavailable);
    expect(await registry.metrics()).not.toMatch(/^sss_outbox/m);
    await unavailable.end();
  });
});
