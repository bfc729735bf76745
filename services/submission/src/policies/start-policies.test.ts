import { ConfigError } from '@supplier/lib/runtime/config';
import {
  createTestDatabase,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '@supplier/lib/testing';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import { releasePolicies } from '../release-policies.ts';
import { insertActivation, insertPolicy } from '../store/policies.sql.ts';
import { ActivePolicies } from './active-policies.ts';
import { startPolicies } from './start-policies.ts';

const NOW = new Date('2026-11-20T10:00:00Z');

let database: TestDatabase;
let process: TestProcess;
let policies: ActivePolicies;
beforeEach(async () => {
  database = await createTestDatabase({ serviceDir: new URL('../../', import.meta.url) });
  process = startTestProcess('submission');
  policies = new ActivePolicies();
});
afterEach(async () => {
  await process?.stop();
  await database?.close();
});

const start = (workPool: pg.Pool) =>
  startPolicies(process, { policies, workPool, clock: { now: () => NOW } });

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

/** Resolves once the condition holds. Policies are read every two seconds. */
async function until(holds: () => boolean): Promise<void> {
  const startedAt = performance.now();
  while (!holds()) {
    if (performance.now() - startedAt > 20_000) throw new Error('nothing happened within 20 seconds');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

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
    await until(() => process.lines.filter(({ msg }) => msg === 'policy activated').length === 2);
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
  const row = { kind: PolicyKind.DECISION, version: 'bad', text: '{}', note: '', at: NOW } as const;
  const by = { actor: 'ada', issuer: 'test', roles: [] };
  await insertPolicy(database.pool, { ...row, by });
  await insertActivation(database.pool, { ...row, by });
  recover();
  await until(() => process.failures.length > 0);
  expect(process.failures[0]).toBeInstanceOf(ConfigError);
  expect(process.failures[0]?.message).toMatch(/^the active decision policy bad cannot be used/);
});

it('startPolicies applies later activations, and logs nothing else', async () => {
  await start(database.pool);
  const row = { kind: PolicyKind.DECISION, version: 's1', note: '', at: NOW } as const;
  const by = { actor: 'ada', issuer: 'test', roles: [] };
  const rules = [{ rule: 'all', when: 'true', outcome: 'rejected', reason: 'All are.' }];
  await insertPolicy(database.pool, { ...row, by, text: JSON.stringify({ version: 's1', rules }) });
  await insertActivation(database.pool, { ...row, by });
  await until(() => policies.decision.version === 's1');
  expect(process.lines.map(({ msg }) => msg)).toEqual(Array(3).fill('policy activated'));
});

it('startPolicies exports a gauge for each kind whose active version is unusable', async () => {
  await start(database.pool);
  const measured = async () =>
    (await process.metrics.metrics()).split('\n').filter((line) => line.startsWith('sss_policy_unusable{'));
  expect(await measured()).toEqual([
    'sss_policy_unusable{kind="decision"} 0',
    'sss_policy_unusable{kind="pre-underwriting"} 0',
  ]);
});
