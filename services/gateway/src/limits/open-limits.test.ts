import { createTestDatabase, eventually, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { openLimits } from './open-limits.ts';

const limit = { key: 'k', most: 1, windowMs: 60_000 };
const said = ({ lines }: TestProcess, words: string) =>
  lines.filter(({ msg }) => String(msg).includes(words)).length;

describe('the limiter of a process', () => {
  it('limits by itself where no store is set, and says so once', async () => {
    const gateway = startTestProcess('gateway');
    const check = openLimits(gateway, undefined);
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toMatchObject({ passes: false });
    expect(said(gateway, 'limits by itself')).toBe(1);
    await gateway.stop();
  });

  it('limits by itself while the store it is set to cannot be reached', async () => {
    const gateway = startTestProcess('gateway');
    const check = openLimits(gateway, 'postgres://nobody:x@127.0.0.1:9/limits');
    await eventually('a warning', () => said(gateway, 'limits by itself') === 1);
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toMatchObject({ passes: false });
    await gateway.stop();
  });

  it('shares with another process of the same store, and stops in good time', async () => {
    const database = await createTestDatabase({ schema: '' });
    const gateways = [startTestProcess('gateway'), startTestProcess('gateway')];
    const [one, other] = gateways.map((gateway) => openLimits(gateway, database.databaseUrl));
    for (const gateway of gateways) {
      await eventually('limits to be shared', () => said(gateway, 'limits are shared') === 1);
    }
    expect(await one?.(limit)).toEqual({ passes: true });
    expect(await other?.(limit)).toMatchObject({ passes: false });
    for (const gateway of gateways) await gateway.stop();
    await database.close();
  });
});
