import { databaseAhead, eventually, startTestProcess } from '@supplier/lib/testing';
import { CONFIG, testKeyRing } from '../testing/test-service.ts';
import { createContext } from './context.ts';

it('createContext uses the database clock, so that times from different processes are comparable', async () => {
  const process = startTestProcess('webhook');
  const hourMs = 3_600_000;
  const { clock, clockIsKnown } = createContext(CONFIG, process, {
    pool: databaseAhead(hourMs),
    keyRing: testKeyRing(),
  });
  await eventually('the time is known', clockIsKnown);
  expect(clock.now().getTime() - Date.now()).toBeGreaterThan(hourMs / 2);
  await process.stop();
});
