import { setTimeout as pause } from 'node:timers/promises';
import { dueAfter, dueAt, openLoop } from './open-loop.ts';

const pace = { perSecond: 200, seconds: 2 };

describe('a steady pace', () => {
  it('has a request due at once, then one after each interval, and none after the last', () => {
    expect([0, 1, 399].map((index) => dueAt(pace, index))).toEqual([0, 5, 1_995]);
    expect([0, 4.9, 5, 1_994.9, 1_995, 9_000].map((elapsed) => dueAfter(pace, elapsed))).toEqual([
      1, 1, 2, 399, 400, 400,
    ]);
  });
});

describe('openLoop', () => {
  it('does not wait for answers before it goes on', async () => {
    let [underWay, most] = [0, 0];
    const outcomes = await openLoop({ perSecond: 100, seconds: 1 }, async () => {
      underWay += 1;
      most = Math.max(most, underWay);
      await pause(500);
      underWay -= 1;
    });
    expect(outcomes).toHaveLength(100);
    expect(most).toBeGreaterThan(20);
  });

  it('counts from when a request was due, also when it could not be sent then', async () => {
    const outcomes = await openLoop({ perSecond: 100, seconds: 1 }, async (index) => {
      if (index === 10) block(300);
    });
    const slow = outcomes.filter(({ latencyMs }) => latencyMs > 100);
    expect(slow.length).toBeGreaterThanOrEqual(15);
    expect(slow.filter(({ lateMs }) => lateMs > 100).length).toBeGreaterThanOrEqual(15);
  });

  it('tells what failed, and goes on', async () => {
    const outcomes = await openLoop({ perSecond: 100, seconds: 1 }, async (index) => {
      if (index % 2 === 0) throw new Error('no');
    });
    expect(outcomes.filter(({ failure }) => failure === 'no')).toHaveLength(50);
  });
});

/** Keeps this process from doing anything else. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
