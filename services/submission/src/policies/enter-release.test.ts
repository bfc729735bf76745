import { createTestDatabase, forEachTest, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import {
  activePolicies,
  findPolicyText,
  insertActivation,
  insertPolicy,
  sha256Of,
} from '../store/policies.sql.ts';
import { enterRelease } from './enter-release.ts';

const kind = PolicyKind.DECISION as const;
const NOW = new Date('2026-11-20T10:00:00Z');

const database = forEachTest(() => createTestDatabase({ serviceDir: new URL('../../', import.meta.url) }));
let process: TestProcess;
beforeEach(() => {
  process = startTestProcess('submission');
});

const textOf = (version: string, reason = 'All are.') =>
  JSON.stringify({ version, rules: [{ rule: 'all', when: 'true', outcome: 'rejected', reason }] });
const release = (version: string, text = textOf(version)) =>
  enterRelease(database.pool, { now: () => NOW }, process.log, { kind, text });
const inForce = async () => (await activePolicies(database.pool, [kind])).map(({ version }) => version);

it('enterRelease audits the stored, activated and replaced versions, and changes nothing for an older release', async () => {
  await release('r1');
  await release('r2');
  await release('r1');
  const { rows } = await database.pool.query(
    'SELECT at, actor, action, target, purpose, before, after FROM audit_entry ORDER BY sequence',
  );
  const by = { at: NOW, actor: 'service:submission', purpose: 'Part of a release.' };
  const stored = (version: string) => ({
    ...by,
    action: 'StorePolicy',
    target: `decision/${version}`,
    before: null,
    after: { sha256: sha256Of(textOf(version)) },
  });
  const activated = (version: string, previous: string | null) => ({
    ...by,
    action: 'ActivatePolicy',
    target: `decision/${version}`,
    before: { version: previous },
    after: { version },
  });
  expect(rows).toEqual([stored('r1'), activated('r1', null), stored('r2'), activated('r2', 'r1')]);
});

it('enterRelease keeps the stored text of a version and reports a release with a different one', async () => {
  const [stored, other] = [textOf('r1'), textOf('r1', 'It is another text.')];
  await release('r1', stored);
  await release('r1', stored);
  expect(process.lines).toEqual([]);
  await release('r1', other);
  expect((await findPolicyText(database.pool, kind, 'r1'))?.text).toBe(stored);
  expect(process.lines).toEqual([
    expect.objectContaining({
      level: 'error',
      resource: 'decision/r1',
      msg: 'policy of the release not stored: its version exists with a different text',
    }),
  ]);
});

it('enterRelease stores one text when two releases bring a version concurrently, and reports the other', async () => {
  const reasons = Array.from({ length: 5 }, (_, at) => `Text ${at}.`);
  await Promise.all(reasons.map((reason) => release('r1', textOf('r1', reason))));
  expect(process.lines.map(({ msg }) => msg)).toEqual(
    Array(4).fill('policy of the release not stored: its version exists with a different text'),
  );
});

it.each([
  ['stored a version', 'ada', '', 's1'],
  ['activated that of a release again', 'ada', '', 'r1'],
  ['is named like the service', 'service:submission', 'staff', 's1'],
])('enterRelease leaves the version activated by a person who %s', async (_who, actor, issuer, version) => {
  await release('r1');
  const row = { kind, note: '', at: NOW, by: { actor, issuer, roles: [] } };
  await insertPolicy(database.pool, { ...row, version: 's1', text: textOf('s1') });
  await insertActivation(database.pool, { ...row, version });
  await release('r2');
  expect(await inForce()).toEqual([version]);
  expect(await findPolicyText(database.pool, kind, 'r2')).toBeDefined();
});

it.each(['policy_version', 'policy_activation'])('table %s is append-only', async (table) => {
  await release('r1');
  for (const statement of [`UPDATE ${table} SET version = version`, `DELETE FROM ${table}`])
    await expect(database.pool.query(statement)).rejects.toThrow('only ever added');
});
