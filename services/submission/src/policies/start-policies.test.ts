import { ConfigError } from '@supplier/lib/runtime/config';
import {
  createTestDatabase,
  eventually,
  forEachTest,
  startTestProcess,
  type TestProcess,
  timed,
} from '@supplier/lib/testing';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import { releasePolicies } from '../../testing/release-policies.ts';
import { ActivePolicies } from '../store/active-policies.ts';
import { insertActivation, insertPolicy } from '../store/policies.sql.ts';
import { startPolicies } from './start-policies.ts';

const NOW = new Date('2026-11-20T10:00:00Z');

const database = forEachTest(() => createTestDatabase({ serviceDir: new URL('../../', import.meta.url) }));
let process: TestProcess;
let policies: ActivePolicies;
beforeEach(() => {
  process = startTestProcess('submission');
  policies = new ActivePolicies();
});
afterEach(() => process.stop());

const start = (workPool: pg.Pool) =>
  startPolicies(
    process,
    { policies, workPool, clock: { now: () => NOW } },
    new URL('../../', import.meta.url),
  );

/** Creates a pool whose statements fail with a code until it recovers; then they reach the database. */
function failingPool(code: string) {
  let hasRecovered = false;
  const through =
    (name: 'query' | 'connect') =>
    (...args: never[]) =>
      hasRecovered
        ? (database.pool[name] as (...all: never[]) => unknown).apply(database.pool, args)
        : Promise.reject(Object.assign(new Error('failed'), { code }));
  const pool = { query: through('query'), connect: through('connect') } as unknown as pg.Pool;
  return {
    pool,
    recover() {
      hasRecovered = true;
    },
  };
}

/** Stores a text and activates it, as a person does on another replica. */
async function activate(version: string, text: string): Promise<void> {
  const by = { actor: 'ada', issuer: 'test', roles: [] };
  const row = { kind: PolicyKind.DECISION, version, text, note: '', at: NOW, by } as const;
  await insertPolicy(database.pool, row);
  await insertActivation(database.pool, row);
}

const activations = () => process.lines.filter(({ msg }) => msg === 'policy activated');

it.each([
  ['unavailable', '57P03'],
  ['not migrated', '42P01'],
])(
  'startPolicies starts while the database is %s, and reads the policies when it recovers',
  async (_state, code) => {
    const { pool, recover } = failingPool(code);
    await start(pool);
    expect(() => policies.decision).toThrow('have not been read from the database yet');
    recover();
    await eventually('both are read', () => activations().length === 2);
    expect(policies.decision.version).toBe(releasePolicies().decision.version);
    expect(policies.preUnderwriting.version).toBe(releasePolicies().preUnderwriting.version);
    expect(process.failures).toEqual([]);
  },
);

it('startPolicies does not start after any other database error', async () => {
  await expect(start(failingPool('42501').pool)).rejects.toThrow('failed');
});

it('startPolicies ends the process when the active policy is found to be unusable after the start', async () => {
  const { pool, recover } = failingPool('57P03');
  await start(pool);
  await activate('bad', '{}');
  recover();
  await eventually('the process ends', () => process.failures.length > 0);
  expect(process.failures[0]).toBeInstanceOf(ConfigError);
  expect(process.failures[0]?.message).toMatch(/^the active decision policy bad cannot be used/);
});

it('startPolicies applies an activation by another process within five seconds, and logs nothing else', async () => {
  await start(database.pool);
  const rules = [{ rule: 'all', when: 'true', outcome: 'rejected', reason: 'All are.' }];
  await activate('s1', JSON.stringify({ version: 's1', rules }));
  const { ms } = await timed(() => eventually('it is read', () => policies.decision.version === 's1'));
  expect(ms).toBeLessThan(5_000);
  expect(process.lines).toEqual(activations());
  expect(activations()).toHaveLength(3);
});

it('startPolicies exports a gauge for each kind whose active version is unusable', async () => {
  await start(database.pool);
  const measured = async () =>
    (await process.metrics.metrics()).split('\n').filter((line) => line.startsWith('sss_policy_unusable{'));
  const others = 'sss_policy_unusable{kind="pre-underwriting"} 0';
  expect(await measured()).toEqual(['sss_policy_unusable{kind="decision"} 0', others]);
  await activate('bad', '{}');
  await policies.refresh(database.pool, process.log);
  expect(await measured()).toEqual(['sss_policy_unusable{kind="decision"} 1', others]);
});
