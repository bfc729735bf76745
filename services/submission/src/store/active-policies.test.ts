import { isUnavailable } from '@supplier/lib/data/postgres';
import { ConfigError } from '@supplier/lib/runtime/config';
import { createTestDatabase, forAllTests, startTestProcess } from '@supplier/lib/testing';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import { releasePolicies } from '../../testing/release-policies.ts';
import type { KnownPolicyKind } from '../model/policy/policy-kinds.ts';
import { ActivePolicies } from './active-policies.ts';
import { insertActivation, insertPolicy } from './policies.sql.ts';

const { DECISION, PRE_UNDERWRITING } = PolicyKind;
const ROW = {
  note: '',
  at: new Date('2026-11-20T10:00:00Z'),
  by: { actor: 'ada', issuer: 'test', roles: [] },
};

const database = forAllTests(() => createTestDatabase({ serviceDir: new URL('../../', import.meta.url) }));

let versions = 0;
/** Stores a text as a new version and activates it. */
async function activate(kind: KnownPolicyKind, rules: object[], store = insertPolicy): Promise<string> {
  versions += 1;
  const version = `v${versions}`;
  await store(database.pool, { ...ROW, kind, version, text: JSON.stringify({ version, rules }) });
  await insertActivation(database.pool, { ...ROW, kind, version });
  return version;
}

const REJECT_ALL = [{ rule: 'all', when: 'true', outcome: 'rejected', reason: 'All are.' }];
const RETURN_ALL = [{ rule: 'all', when: 'true', category: 'outstanding_ccjs' }];
const activateGood = async () => ({
  decision: await activate(DECISION, REJECT_ALL),
  preUnderwriting: await activate(PRE_UNDERWRITING, RETURN_ALL),
});

function policiesUnderTest(initial?: ConstructorParameters<typeof ActivePolicies>[0]) {
  const policies = new ActivePolicies(initial);
  const process = startTestProcess('submission');
  return {
    policies,
    refresh: (pool = database.pool) => policies.refresh(pool, process.log),
    logged: (message: string) => process.lines.filter(({ msg }) => msg === message),
    versions: () => ({
      decision: policies.decision.version,
      preUnderwriting: policies.preUnderwriting.version,
    }),
  };
}

it('ActivePolicies uses the latest activation of each kind, and logs it once', async () => {
  const good = await activateGood();
  const { refresh, versions, logged } = policiesUnderTest();
  await refresh();
  await refresh();
  expect(versions()).toEqual(good);
  expect(logged('policy activated').map(({ resource }) => resource)).toEqual([
    `decision/${good.decision}`,
    `pre-underwriting/${good.preUnderwriting}`,
  ]);
  const newer = await activate(PRE_UNDERWRITING, RETURN_ALL);
  await refresh();
  expect(versions()).toEqual({ ...good, preUnderwriting: newer });
});

it.each<[string, KnownPolicyKind, object[]]>([
  ['decision', DECISION, REJECT_ALL],
  ['pre-underwriting', PRE_UNDERWRITING, RETURN_ALL],
])(
  'ActivePolicies keeps the %s policy while the next one is unusable, until a usable one follows',
  async (name, kind, good) => {
    await activateGood();
    const { policies, refresh, versions, logged } = policiesUnderTest();
    await refresh();
    const before = versions();
    const bad = await activate(kind, [{ ...good[0], when: 'enquiry.nothing' }]);
    await refresh();
    await refresh();
    expect(versions()).toEqual(before);
    expect(policies.unusable).toEqual([kind]);
    expect(logged('active policy cannot be used')).toEqual([
      expect.objectContaining({
        level: 'error',
        resource: `${name}/${bad}`,
        reason: 'rule 1, condition: Enquiry has no field "nothing".',
      }),
    ]);
    const usable = await activate(kind, good);
    await refresh();
    expect(Object.values(versions())).toContain(usable);
    expect(policies.unusable).toEqual([]);
  },
);

it.each<[string, KnownPolicyKind, object[]]>([
  ['decision', DECISION, REJECT_ALL],
  ['pre-underwriting', PRE_UNDERWRITING, RETURN_ALL],
])('ActivePolicies throws when the first %s policy is unusable', async (name, kind, good) => {
  await activateGood();
  const bad = await activate(kind, [{ ...good[0], when: 'enquiry.nothing' }]);
  const thrown = await policiesUnderTest()
    .refresh()
    .catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ConfigError);
  expect((thrown as Error).message).toBe(
    `the active ${name} policy ${bad} cannot be used by this release: rule 1, condition: ` +
      'Enquiry has no field "nothing". See docs/operating.md, "Policies".',
  );
});

it('ActivePolicies rejects a text that was changed after it was stored', async () => {
  await activateGood();
  const { policies, refresh, logged } = policiesUnderTest(releasePolicies());
  await activate(DECISION, REJECT_ALL, async (sql, { kind, version, text, note, at, by }) => {
    await sql.query(
      `INSERT INTO policy_version (kind, version, text, sha256, author, issuer, note, created_at)
       VALUES ($1, $2, $3, 'of another text', $4, $5, $6, $7)`,
      [kind, version, text, by.actor, by.issuer, note, at],
    );
  });
  await refresh();
  expect(policies.decision.version).toBe(releasePolicies().decision.version);
  expect(logged('active policy cannot be used')).toEqual([
    expect.objectContaining({ reason: 'its text differs from the stored one.' }),
  ]);
});

it('ActivePolicies applies an activation later when the database connection fails before its text is read', async () => {
  const good = await activateGood();
  const { policies, refresh, versions } = policiesUnderTest(releasePolicies());
  const lost = Object.assign(new Error('terminating connection'), { code: '57P01' });
  const losing = {
    query: (statement: { name: string }) =>
      statement.name === 'find-policy-text' ? Promise.reject(lost) : database.pool.query(statement as never),
  } as unknown as pg.Pool;
  await expect(refresh(losing)).rejects.toBe(lost);
  expect(policies.unusable).toEqual([]);
  await refresh();
  expect(versions()).toEqual(good);
});

it.each(['decision', 'preUnderwriting'] as const)(
  'ActivePolicies makes callers of %s retry, as for an unavailable database, until it has been read',
  (kind) => {
    const read = () => new ActivePolicies()[kind];
    expect(read).toThrow('have not been read from the database yet');
    try {
      read();
    } catch (error) {
      expect(isUnavailable(error)).toBe(true);
    }
  },
);
