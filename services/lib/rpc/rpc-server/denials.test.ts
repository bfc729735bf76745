import { Registry } from '../../runtime/metrics/index.ts';
import { startTestProcess } from '../../testing/index.ts';
import { denials } from './denials.ts';

it('at most 100 denials a minute are logged, with the number left out, and all are counted', async () => {
  const { log, lines } = startTestProcess('submission');
  const registry = new Registry();
  let time = 0;
  const { deny } = denials(registry, log, [], () => time);
  const many = (count: number) => {
    for (let call = 0; call < count; call += 1)
      deny({ rpc: 'supplier.x.v1.X/Y', reason: 'bad_token', address: '192.0.2.1' });
  };
  const said = (message: string) => lines.filter(({ msg }) => msg === message);
  many(250);
  expect(said('call denied')).toHaveLength(100);
  time += 59_999;
  many(50);
  expect(said('call denied')).toHaveLength(100);
  time += 1;
  many(1);
  expect(said('call denied')).toHaveLength(101);
  expect(said('denied calls not logged')).toEqual([expect.objectContaining({ count: 200 })]);
  expect(await registry.metrics()).toContain(
    'sss_rpc_denied_total{rpc="supplier.x.v1.X/Y",reason="bad_token"} 301',
  );
});

it('a role that its issuer may not give is logged', async () => {
  const { log, lines } = startTestProcess('submission');
  const registry = new Registry();
  denials(registry, log).withhold({ issuer: 'people', subject: 'jo', roles: ['service:gateway'] });
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      msg: 'role not permitted to its issuer',
      issuer: 'people',
      caller: 'jo',
      role: 'service:gateway',
    }),
  ]);
  expect(await registry.metrics()).toContain('sss_rpc_withheld_roles_total 1');
});
