import { openPool } from '@supplier/lib/data/postgres';
import {
  createTestDatabase,
  describeWithPgBouncer,
  startPgBouncer,
  startTestProcess,
} from '@supplier/lib/testing';
import { Status } from '@supplier/proto/common/v1/status';
import { openTestService } from '../testing/test-service.ts';

const SETTINGS = `TimeZone = 'UTC', enable_seqscan = off, enable_hashjoin = off, enable_mergejoin = off,
  plan_cache_mode = 'force_generic_plan', jit = off, statement_timeout = '4s',
  idle_in_transaction_session_timeout = '10s'`;

describeWithPgBouncer('submissions behind PgBouncer in transaction mode', () => {
  it('are recorded, decided and minted, with one accepted of many for the same customer', async () => {
    const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
    const { pathname } = new URL(database.databaseUrl);
    for (const setting of SETTINGS.split(/,\s+/))
      await database.pool.query(
        `ALTER ROLE ${new URL(database.databaseUrl).username} IN DATABASE ${pathname.slice(1)} SET ${setting}`,
      );
    const bouncer = await startPgBouncer(database.databaseUrl);
    const process = startTestProcess('submission');
    const pool = openPool({ databaseUrl: bouncer.address(database.databaseUrl), databasePool: 10 }, process);
    const service = await openTestService({ pool });
    const made = await Promise.all(
      Array.from({ length: 20 }, () => service.submit({ enquiry: { email: 'jo@example.test' } })),
    );
    await service.work();
    const statuses = await Promise.all(made.map(({ id }) => service.statusOf(id)));
    expect(statuses.filter((status) => status === Status.ACCEPTED)).toHaveLength(1);
    expect(statuses.filter((status) => status === Status.DUPLICATE_NOT_ACCEPTED)).toHaveLength(19);
    await service.close();
    await process.stop();
    await bouncer.close();
    await database.close();
  });
});
