import { databaseAhead, eventually, startTestProcess } from '@supplier/lib/testing';
import { testKeyRing } from '../testing/test-service.ts';
import { readConfig } from './config.ts';
import { createContext } from './context.ts';

const URL = 'http://127.0.0.1:9';
const CONFIG = {
  SSS_DEPLOYMENT: 'local',
  SSS_RPC_HTTP1_PORT: '1',
  SSS_RPC_H2C_PORT: '2',
  SSS_DATABASE_URL: 'postgresql://127.0.0.1:9/nothing',
  SSS_NATS_URL: 'nats://127.0.0.1:9',
  SSS_ISSUERS_FILE: '/nonexistent',
  SSS_SERVICE_TOKEN_DIR: '/nonexistent',
  SSS_KEY_RING_FILE: '/nonexistent',
  SSS_EVENT_KEYS_DIR: '/nonexistent',
  SSS_PAGES_URL: URL,
  SSS_DOCUMENT_URL: URL,
  SSS_WEBHOOK_URL: URL,
};

it('createContext uses the database clock, so that times from different processes are comparable', async () => {
  const process = startTestProcess('submission');
  const hourMs = 3_600_000;
  const { clock, clockIsKnown } = createContext(readConfig(CONFIG), process, {
    pool: databaseAhead(hourMs),
    keyRing: testKeyRing(),
  });
  await eventually('the time is known', clockIsKnown);
  expect(clock.now().getTime() - Date.now()).toBeGreaterThan(hourMs / 2);
  await process.stop();
});
