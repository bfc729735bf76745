import pg from 'pg';
import { createTestDatabase } from './test-database.ts';

it('a database is dropped although a failed test has kept a client of its pool', async () => {
  const { pool, databaseUrl, close } = await createTestDatabase({ schema: 'CREATE TABLE rows ()' });
  const kept = await pool.connect();
  await kept.query('BEGIN');
  await close();
  const client = new pg.Client({ connectionString: databaseUrl });
  await expect(client.connect()).rejects.toMatchObject({ code: '3D000' });
});
