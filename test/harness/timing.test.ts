import { setTimeout as delay } from 'node:timers/promises';
import { timed } from './timing.ts';

function occupy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('timed subtracts the time that the process spent waiting for a processor', async () => {
  const { answer, ms } = await timed(async () => {
    await delay(100);
    occupy(1_000);
    await delay(100);
    return 'done';
  });
  expect(answer).toBe('done');
  expect(ms).toBeGreaterThan(100);
  expect(ms).toBeLessThan(800);
});
