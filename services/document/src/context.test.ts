import { forAllTests, startTestProcess } from '@supplier/lib/testing';
import { openTestDatabase, testKeyRing } from '../testing/test-service.ts';
import type { DocumentConfig } from './config.ts';
import { createContext } from './context.ts';
import { localStore } from './object-store/local/local-store.ts';
import { inTransaction } from './store/database.ts';

const database = forAllTests(() => openTestDatabase());

it('createContext wakes the relay after every commit, once the relay is connected', async () => {
  const { pool } = database;
  const keyRing = testKeyRing();
  const store = localStore('/nowhere');
  const findSubmission = async () => undefined;
  const findAccepted = async () => new Set<never>();
  const findHeld = async () => new Set<never>();
  const findOwners = async () => new Map<never, never>();
  const parts = { pool, keyRing, store, findSubmission, findAccepted, findHeld, findOwners };
  const { db, wakes } = await createContext({} as DocumentConfig, startTestProcess('document'), parts);
  const commit = () => inTransaction(db, (tx) => tx.document.findFirst());
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
