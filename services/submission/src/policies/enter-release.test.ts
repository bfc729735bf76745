import {
  createTestDatabase,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '@supplier/lib/testing';
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

let database: TestDatabase;
let process: TestProcess;
beforeEach(async () => {
  database = await createTestDatabase({ serviceDir: new URL('../../', import.meta.url) });
  process = startTestProcess('submission');
});
afterEach(() => database?.close());

const textOf = (version: string, reason = 'All are.') =>
  JSON.stringify({ version, rules: [{ rule: 'all', when: 'true', outcome: 'rejected', reason }] });
const release = (version: string, text = textOf(version)) =>
  enterRelease(database.pool, { now: () => NOW }, process.log, { kind, text });
const inForce = async () => (await activePolicies(database.pool, [kind])).map(({ version }) => version);

it('enterRelease audits the stored, activated and replaced versions', async () => {
  await release('r1');
  await release('r2');
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
  ['has another name', 'ada', ''],
  ['is named like the service', 'service:submission', 'staff'],
])('enterRelease leaves the version activated by a person who %s', async (_who, actor, issuer) => {
  await release('r1');
  const row = {
    kind,
    version: 's1',
    text: textOf('s1'),
    note: '',
    at: NOW,
    by: { actor, issuer, roles: [] },
  };
  await insertPolicy(database.pool, row);
  await insertActivation(database.pool, row);
  await release('r2');
  expect(await inForce()).toEqual(['s1']);
  expect(await findPolicyText(database.pool, kind, 'r2')).toBeDefined();
});
