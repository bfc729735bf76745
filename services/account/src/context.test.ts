import { forAllTests, startTestProcess } from '@supplier/lib/testing';
import { openTestDatabase } from '../testing/test-service.ts';
import type { AccountConfig } from './config.ts';
import { createContext } from './context.ts';
import { inTransaction } from './store/database.ts';

const database = forAllTests(() => openTestDatabase());

it('createContext wakes the relay after every commit, once the relay is connected', async () => {
  const config = { credentialPrefix: 'sss' } as AccountConfig;
  const { pool } = database;
  const { db, wakes } = createContext(config, startTestProcess('account'), { pool });
  const commit = () => inTransaction(db, (tx) => tx.account.findFirst());
  await commit();
  let woken = 0;
  wakes.connect({
    relay: () => {
      woken += 1;
    },
  });
  await commit();
  await commit();
  expect(woken).toBe(2);
  await db.$disconnect();
});
