import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import {
  type Finding,
  FindingKind,
  type ReconcileRequestSchema,
  ReconciliationService,
  RepairOutcome,
} from '@supplier/proto/reconciliation/v1/reconciliation';
import { refusalOf } from '../../rpc/refusal/index.ts';
import { createTestDatabase, inProcessClient, type TestDatabase } from '../../testing/index.ts';
import { toTimestamp } from '../../text/time/index.ts';
import { type Comparison, reconciliationRoutes } from './index.ts';

const NOW = new Date('2026-11-20T10:00:00Z');
const ago = (ms: number) => toTimestamp(new Date(NOW.getTime() - ms));
const HOUR_MS = 3_600_000;
const actor = { caller: { subject: 'ada', issuer: 'test', roles: ['staff:admin'] } };

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase({ serviceDir: new URL('../../../webhook/', import.meta.url) });
});
afterAll(() => database?.close());

function client(compare?: Comparison): Client<typeof ReconciliationService> {
  const parts = { pool: database.pool, clock: { now: () => NOW }, hasOutbox: true, keepsFailedEvents: true };
  return inProcessClient(
    ReconciliationService,
    reconciliationRoutes({ ...parts, ...(compare && { compare }) }),
    actor,
  );
}

async function found(
  request: MessageInitShape<typeof ReconcileRequestSchema>,
  compare?: Comparison,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of client(compare).reconcile(request)) findings.push(finding);
  return findings;
}

/** Returns three parts; the second contains one difference that can be repaired and one that cannot. */
const threeParts: Comparison = async ({ at, repair }) => ({
  compared: 10,
  differences:
    at === 'two'
      ? [
          { what: 'missing', target: 'a', explanation: 'it is missing', repaired: repair },
          { what: 'twice', target: 'b', explanation: 'it is there twice', repaired: false },
        ]
      : [],
  next: at === '' ? 'two' : at === 'two' ? 'three' : '',
});

it('a reconciliation compares part by part and ends with the number of compared records', async () => {
  const findings = await found({}, threeParts);
  expect(findings.map(({ kind, what, repair }) => [FindingKind[kind], what, RepairOutcome[repair]])).toEqual([
    ['DIFFERENCE', 'missing', 'UNSPECIFIED'],
    ['DIFFERENCE', 'twice', 'UNSPECIFIED'],
    ['BACKLOG', 'outbox', 'UNSPECIFIED'],
    ['ENDED', '', 'UNSPECIFIED'],
  ]);
  expect(findings.at(-1)).toMatchObject({ count: 30n, resumeToken: '' });
});

it('a reconciliation continues where an earlier call ended', async () => {
  expect((await found({ resumeToken: 'three' }, threeParts)).at(-1)).toMatchObject({ count: 10n });
});

it('a reconciliation reports whether each difference was repaired, and audits the call and each repair', async () => {
  const findings = await found({ repair: true }, threeParts);
  expect(findings.map(({ repair }) => RepairOutcome[repair]).slice(0, 2)).toEqual([
    'REPAIRED',
    'NOT_POSSIBLE',
  ]);
  const { rows } = await database.pool.query(
    `SELECT action, actor, target, after FROM audit_entry ORDER BY sequence`,
  );
  expect(rows).toEqual([
    {
      action: 'Reconcile',
      actor: 'ada',
      target: '',
      after: { since: '2026-11-19T10:00:00.000Z', until: '2026-11-20T09:59:00.000Z' },
    },
    { action: 'Reconcile', actor: 'ada', target: 'a', after: { repaired: 'missing' } },
  ]);
});

it('a reconciliation counts the backlog of the outbox and the failed events of consumers', async () => {
  await database.pool.query(
    `INSERT INTO failed_event (consumer, event_id, type, subject, envelope, attempts, due_at, parked_at, failure)
     VALUES ('billing', '00000000-0000-7000-8000-000000000001', 't', 's', '', 8, now(), now(), 'f')`,
  );
  const findings = await found({});
  expect(findings.map(({ what, target, count }) => [what, target, count])).toEqual([
    ['outbox', 'outbox', 0n],
    ['failed_events', 'billing', 1n],
    ['', '', 0n],
  ]);
});

it.each([
  ['more than seven days', { since: ago(8 * 24 * HOUR_MS) }],
  ['nothing', { since: ago(HOUR_MS), until: ago(HOUR_MS) }],
])('a reconciliation rejects a span of %s', async (_, request) => {
  const refused = await found(request, threeParts).then(() => undefined, refusalOf);
  expect(refused?.violations.map(({ path }) => path)).toEqual(['since']);
});
