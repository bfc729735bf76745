import { ConfigError } from '@supplier/lib/config';
import {
  createTestDatabase,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '@supplier/lib/testing';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import { insertActivation, insertPolicy } from '../db/policies.ts';
import { releasePolicies } from '../release-policies.ts';
import { PoliciesInForce } from './in-force.ts';
import { startPolicies } from './start-policies.ts';

const NOW = new Date('2026-11-20T10:00:00Z');

let database: TestDatabase;
let process: TestProcess;
let policies: PoliciesInForce;
beforeEach(async () => {
  database = await createTestDatabase({ serviceDir: new URL('../../', import.meta.url) });
  process = startTestProcess('submission');
  policies = new PoliciesInForce();
});
afterEach(async () => {
  await process?.stop();
  await database?.close();
});

const start = (workPool: pg.Pool) =>
  startPolicies(process, { policies, workPool, clock: { now: () => NOW } });

/** A pool whose first statement fails and all later ones reach the database. */
function failingOnce(code: string): pg.Pool {
  let used = 0;
  const through =
    (name: 'query' | 'connect') =>
    (...args: never[]) => {
      used += 1;
      if (used === 1) return Promise.reject(Object.assign(new Error('failed'), { code }));
      return (database.pool[name] as (...all: never[]) => unknown).apply(database.pool, args);
    };
  return { query: through('query'), connect: through('connect') } as unknown as pg.Pool;
}

/** Resolves once the condition holds; a test that waits in vain fails by its own bound. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 20));
}

const inForce = () => process.lines.filter(({ msg }) => msg === 'policy in force').length;

it.each([
  ['unavailable', '57P03'],
  ['not migrated', '42P01'],
])('starts while the database is %s, and reads the policies when it can', async (_state, code) => {
  await start(failingOnce(code));
  expect(() => policies.decision).toThrow('have not been read from the database yet');
  await until(() => inForce() === 2);
  expect(policies.decision.version).toBe(releasePolicies().decision.version);
  expect(policies.preUnderwriting.version).toBe(releasePolicies().preUnderwriting.version);
  expect(process.failures).toEqual([]);
});

it('does not start on any other failure of the database', async () => {
  await expect(start(failingOnce('42501'))).rejects.toThrow('failed');
});

it('ends the process when the policy in force turns out to be unusable after the start', async () => {
  await start(failingOnce('57P03'));
  const row = { kind: PolicyKind.DECISION, version: 'bad', text: '{}', note: '', at: NOW } as const;
  const by = { actor: 'ada', issuer: 'test', roles: [] };
  await insertPolicy(database.pool, { ...row, by });
  await insertActivation(database.pool, { ...row, by });
  await until(() => process.failures.length > 0);
  expect(process.failures[0]).toBeInstanceOf(ConfigError);
  expect(process.failures[0]?.message).toMatch(/^the decision policy bad is in force and cannot be used/);
});

it('measures for each kind whether its version in force is unusable', async () => {
  await start(database.pool);
  const measured = async () =>
    (await process.metrics.metrics()).split('\n').filter((line) => line.startsWith('sss_policy_unusable{'));
  expect(await measured()).toEqual([
    'sss_policy_unusable{kind="decision"} 0',
    'sss_policy_unusable{kind="pre-underwriting"} 0',
  ]);
});
