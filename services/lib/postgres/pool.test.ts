import { createTestDatabase, startTestProcess } from '../testing/index.ts';
import { openPool } from './index.ts';

describe('the connections of a service', () => {
  it('find rows by an index in a table that is still small: a prepared statement keeps its plan while it grows', async () => {
    const database = await createTestDatabase({
      schema:
        'CREATE TABLE lead (id int PRIMARY KEY, note text); INSERT INTO lead SELECT g FROM generate_series(1, 50) AS g; ANALYZE lead',
    });
    const service = startTestProcess('test');
    const pool = openPool({ databaseUrl: database.databaseUrl, databasePool: 1 }, service);
    const ids = Array.from({ length: 64 }, (_, index) => index);
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      'EXPLAIN UPDATE lead SET note = g.note FROM unnest($1::int[], $2::text[]) AS g(id, note) WHERE lead.id = g.id',
      [ids, ids.map(String)],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Scan using lead_pkey');
    expect(plan).not.toMatch(/Seq Scan|Hash Join/);
    await service.stop();
    await database.close();
  });
});
