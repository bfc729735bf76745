import { eventually, startTestProcess, type TestProcess, timed } from '@supplier/lib/testing';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import { openTestService, type TestService } from '../../testing/test-service.ts';
import { releasePolicies } from '../release-policies.ts';
import { insertActivation, insertPolicy } from '../store/policies.sql.ts';
import { ActivePolicies } from './active-policies.ts';
import { enterRelease } from './enter-release.ts';
import { startPolicies } from './start-policies.ts';

const NOW = new Date('2026-11-20T10:00:00Z');
const clock = { now: () => NOW };
const BY = { actor: 'ada', issuer: 'test', roles: [] };

let service: TestService;
const processes: TestProcess[] = [];
beforeEach(async () => {
  service = await openTestService();
});
afterEach(async () => {
  for (const process of processes.splice(0)) await process.stop();
  await service?.close();
});

/** Returns policy texts whose only rule always decides the same. */
const texts = (version: string, outcome: string) =>
  JSON.stringify({ version, rules: [{ rule: `all-${outcome}`, when: 'true', outcome, reason: 'All are.' }] });

async function started(
  policies = new ActivePolicies(),
): Promise<{ policies: ActivePolicies; process: TestProcess }> {
  const process = startTestProcess('submission');
  processes.push(process);
  await startPolicies(process, { policies, workPool: service.context.pool, clock });
  return { policies, process };
}

async function store(version: string, text: string, activate = true): Promise<void> {
  const row = { kind: PolicyKind.DECISION, version, text, note: 'n', at: NOW, by: BY } as const;
  await insertPolicy(service.context.pool, row);
  if (activate) await insertActivation(service.context.pool, row);
}

const release = (version: string) =>
  enterRelease(service.context.pool, clock, service.context.log, {
    kind: PolicyKind.DECISION,
    text: texts(version, 'rejected'),
  });
const inForce = async () => {
  const { policy } = await service.policies().getPolicy({ kind: PolicyKind.DECISION });
  return policy?.version;
};

describe('a starting process', () => {
  it('stores and activates its release policies, once, and audits it', async () => {
    const shipped = releasePolicies();
    const { policies } = await started();
    expect(policies.decision.version).toBe(shipped.decision.version);
    expect(policies.preUnderwriting.version).toBe(shipped.preUnderwriting.version);
    await started();
    const { rows } = await service.context.pool.query(
      `SELECT actor, action, target FROM audit_entry ORDER BY sequence`,
    );
    const by = { actor: 'service:submission' };
    expect(rows).toEqual([
      { ...by, action: 'StorePolicy', target: `decision/${shipped.decision.version}` },
      { ...by, action: 'ActivatePolicy', target: `decision/${shipped.decision.version}` },
      { ...by, action: 'StorePolicy', target: `pre-underwriting/${shipped.preUnderwriting.version}` },
      { ...by, action: 'ActivatePolicy', target: `pre-underwriting/${shipped.preUnderwriting.version}` },
    ]);
  });

  it('does so once when several start concurrently', async () => {
    await Promise.all(Array.from({ length: 5 }, () => started()));
    const { policies } = await service.policies().listPolicies({});
    expect(policies).toHaveLength(2);
  });

  it('activates a newer release’s policies until a person has chosen, and never after', async () => {
    await release('r1');
    await release('r2');
    expect(await inForce()).toBe('r2');
    await store('s1', texts('s1', 'accepted'));
    await release('r3');
    expect(await inForce()).toBe('s1');
    // Reactivating a release version is also a choice by a person.
    await service
      .policies()
      .activatePolicy({ kind: PolicyKind.DECISION, version: 'r2', purpose: 'going back' });
    await release('r4');
    expect(await inForce()).toBe('r2');
  });

  it('of an older release leaves a newer version active', async () => {
    await release('r1');
    await release('r2');
    await release('r1');
    expect(await inForce()).toBe('r2');
  });

  it('fails when the active version is unusable, and reports where and why', async () => {
    await store(
      'bad',
      '{"version": "bad", "rules": [{"rule": "x", "when": "enquiry.nothing", "outcome": "accepted", "reason": "r"}]}',
    );
    await expect(started()).rejects.toThrow(
      'the active decision policy bad cannot be used by this release: rule 1, condition: Enquiry has no field "nothing".',
    );
  });
});

describe('a running process', () => {
  it('uses a version activated elsewhere within five seconds', async () => {
    const { policies } = await started();
    await store('s1', texts('s1', 'rejected'));
    const { ms } = await timed(() => eventually('it is taken', () => policies.decision.version === 's1'));
    expect(ms).toBeLessThan(5_000);
  });

  it.each([
    ['does not compile', 'bad', () => store('bad', texts('bad', 'maybe'))],
    [
      'has no rule that always holds',
      'bad',
      () => store('bad', texts('bad', 'accepted').replace('"true"', '"facts.duplicate"')),
    ],
    [
      'differs from the stored text',
      'bad',
      () =>
        service.context.pool.query(
          `WITH v AS (INSERT INTO policy_version (kind, version, text, sha256, author, issuer, note, created_at)
             VALUES (1, 'bad', $1, 'x', 'mo', '', '', now()) RETURNING 1)
           INSERT INTO policy_activation (kind, version, activated_at, actor, issuer) SELECT 1, 'bad', now(), 'mo', '' FROM v`,
          [texts('bad', 'accepted')],
        ),
    ],
  ])(
    'keeps its version when one that %s is activated by hand, and reports it',
    async (_what, version, byHand) => {
      const { policies, process } = await started();
      const before = policies.decision;
      await byHand();
      await policies.refresh(service.context.pool, process.log);
      await policies.refresh(service.context.pool, process.log);
      expect(policies.decision).toBe(before);
      expect(policies.unusable).toEqual([PolicyKind.DECISION]);
      expect(process.lines.filter(({ msg }) => msg === 'active policy cannot be used')).toEqual([
        expect.objectContaining({
          level: 'error',
          resource: `decision/${version}`,
          reason: expect.stringMatching(/\.$/),
        }),
      ]);
      expect(await process.metrics.metrics()).toContain('sss_policy_unusable{kind="decision"} 1');
      await store('good', texts('good', 'rejected'));
      await policies.refresh(service.context.pool, process.log);
      expect([policies.decision.version, policies.unusable]).toEqual(['good', []]);
    },
  );

  it('decides nothing before it has read the active version', () => {
    expect(() => new ActivePolicies().decision).toThrow('have not been read from the database yet');
  });
});

it.each(['policy_version', 'policy_activation'])('table %s is append-only', async (table) => {
  await release('r1');
  for (const statement of [`UPDATE ${table} SET version = version`, `DELETE FROM ${table}`])
    await expect(service.context.pool.query(statement)).rejects.toThrow('only ever added');
});
