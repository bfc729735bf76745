import { type Answer, nameServer } from '../../testing/name-server.ts';
import { resolvingBy } from './connect.ts';

/** Less than the resolver's timeout for a query (12 s), and far more than the wait for the other family. */
const BOUND_MS = 8_000;

const servers: { close(): void }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function resolved(answers: { A?: Answer; AAAA?: Answer }, signal = new AbortController().signal) {
  const server = await nameServer(answers);
  servers.push(server);
  const started = performance.now();
  const addresses = await resolvingBy([server.address])('receiver.test', signal);
  return { addresses, ms: performance.now() - started, queries: server.queries };
}

describe('resolvingBy', () => {
  it('returns the addresses of both families, IPv4 first', async () => {
    const { addresses } = await resolved({
      A: { addresses: ['192.0.2.1', '192.0.2.2'], afterMs: 50 },
      AAAA: { addresses: ['2001:db8::1'] },
    });
    expect([...addresses].sort()).toEqual(['192.0.2.1', '192.0.2.2', '2001:db8::1']);
    expect(addresses.at(-1)).toBe('2001:db8::1');
  });

  it.each<[string, { A?: Answer; AAAA?: Answer }, string]>([
    ['IPv6', { A: { addresses: ['192.0.2.1'] } }, '192.0.2.1'],
    ['IPv4', { AAAA: { addresses: ['2001:db8::1'] } }, '2001:db8::1'],
  ])('waits at most one second when %s is never answered', async (_family, answers, address) => {
    const { addresses, ms, queries } = await resolved(answers);
    expect(addresses).toEqual([address]);
    expect(ms).toBeLessThan(BOUND_MS);
    expect([...new Set(queries)].sort()).toEqual(['A', 'AAAA']);
  });

  it('waits for the other family within that second', async () => {
    const { addresses } = await resolved({
      A: { addresses: ['192.0.2.1'] },
      AAAA: { addresses: ['2001:db8::1'], afterMs: 300 },
    });
    expect(addresses).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  it.each<[string, Answer]>([
    ['has no addresses', { addresses: [] }],
    ['fails', { fails: true }],
  ])('waits longer than a second for one family while the other %s', async (_what, A) => {
    const { addresses } = await resolved({ A, AAAA: { addresses: ['2001:db8::1'], afterMs: 1_300 } });
    expect(addresses).toEqual(['2001:db8::1']);
  });

  it('rejects when neither family has an address', async () => {
    await expect(resolved({ A: { addresses: [] }, AAAA: { addresses: [] } })).rejects.toThrow(
      'host name has no address',
    );
  });

  it('rejects as soon as its signal is aborted', async () => {
    await expect(resolved({}, AbortSignal.timeout(50))).rejects.toThrow('timeout');
  });
});
