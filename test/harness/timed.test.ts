import { setTimeout as delay } from 'node:timers/promises';
import { timed } from './timed.ts';

function occupy(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

it('takes off what the process itself was kept from running', async () => {
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
