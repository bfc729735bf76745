import { type Bus, STREAMS } from '../events/event-bus/index.ts';
import type { Relay } from '../events/outbox/index.ts';
import {
  ANY_PORTS,
  createTestDatabase,
  createTestIssuer,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
  testConfig,
} from '../testing/index.ts';
import { systemClock } from '../text/time/index.ts';
import { serve } from './index.ts';

const folder = new URL('../../account/', import.meta.url);

let database: TestDatabase;
let process: TestProcess;
beforeEach(async () => {
  database = await createTestDatabase({ serviceDir: folder });
  process = startTestProcess('account');
});
afterEach(async () => {
  await process?.stop();
  await database?.close();
});

/** The parts that every service in these tests has. */
async function parts() {
  const { issuersFile } = await createTestIssuer();
  // Never connected; a relay would wait for it.
  const bus: Bus = { connection: () => undefined, onConnect: () => {} };
  const config = { ...testConfig(ANY_PORTS, issuersFile), databaseUrl: database.databaseUrl };
  const { pool } = database;
  return { config, folder, bus, pool, clock: systemClock, table: 'account', services: [], routes: () => {} };
}

const measuresOutbox = () => process.metrics.getSingleMetric('sss_outbox_unpublished_events') !== undefined;

it('serve starts a relay for a service with a stream, and passes it to the background work', async () => {
  const started: Relay[] = [];
  await serve(process, {
    ...(await parts()),
    stream: STREAMS.account,
    start: (relay) => void started.push(relay),
  });
  expect(started).toEqual([expect.objectContaining({ wake: expect.any(Function) })]);
  expect(measuresOutbox()).toBe(true);
});

it('serve starts background work but no relay for a service without a stream', async () => {
  const started: unknown[][] = [];
  await serve(process, { ...(await parts()), start: (...given: unknown[]) => void started.push(given) });
  expect(started).toEqual([[]]);
  expect(measuresOutbox()).toBe(false);
});
