import { createTestDatabase, eventually, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { gatewayMetrics } from '../metrics.ts';
import { openLimits as open } from './open-limits.ts';

const openLimits = (gateway: TestProcess, url: string | undefined) =>
  open(gateway, url, gatewayMetrics(gateway.metrics));
const limit = { key: 'k', max: 1, windowMs: 60_000 };
const said = ({ lines }: TestProcess, words: string) =>
  lines.filter(({ msg }) => String(msg).includes(words)).length;

describe('openLimits', () => {
  it('limits per process without a store and logs it once', async () => {
    const gateway = startTestProcess('gateway');
    const check = openLimits(gateway, undefined);
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toMatchObject({ passes: false });
    expect(said(gateway, 'limiting per process')).toBe(1);
    await gateway.stop();
  });

  it('limits per process while the configured store is unreachable', async () => {
    const gateway = startTestProcess('gateway');
    const check = openLimits(gateway, 'postgres://nobody:x@127.0.0.1:9/limits');
    await eventually('a warning', () => said(gateway, 'limiting per process') === 1);
    expect(await check(limit)).toEqual({ passes: true });
    expect(await check(limit)).toMatchObject({ passes: false });
    const page = await gateway.metrics.metrics();
    expect(page).toContain('sss_gateway_limiter_fallbacks_total 2\n');
    expect(page).toContain('sss_gateway_limits_shared 0\n');
    await gateway.stop();
  });

  it('shares limits with another process on the same store and stops promptly', async () => {
    const database = await createTestDatabase({ schema: '' });
    const gateways = [startTestProcess('gateway'), startTestProcess('gateway')];
    const [one, other] = gateways.map((gateway) => openLimits(gateway, database.databaseUrl));
    for (const gateway of gateways) {
      await eventually('limits to be shared', () => said(gateway, 'limits store connected') === 1);
    }
    expect(await one?.(limit)).toEqual({ passes: true });
    expect(await other?.(limit)).toMatchObject({ passes: false });
    expect(await gateways[0]?.metrics.metrics()).toContain('sss_gateway_limits_shared 1\n');
    for (const gateway of gateways) await gateway.stop();
    await database.close();
  });
});
