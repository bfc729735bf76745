import { create } from '@bufbuild/protobuf';
import { inTransaction } from '@supplier/lib/data/postgres';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment, Level, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { FindSubmissionResponseSchema } from '@supplier/proto/submission/v1/find_submission';
import {
  GetSubmissionOwnerResponseSchema,
  type ListStatusChangesResponse,
  RecordedChangeSchema,
  RestatementReason,
} from '@supplier/proto/submission/v1/status_changes';
import { openTestService } from '../../testing/test-service.ts';
import { eraseSubmission } from '../privacy/erase-submission.sql.ts';
import { listStatusChanges as listRecorded } from './list-status-changes.sql.ts';

const service = forAllTests(() => openTestService());
beforeEach(() => service.context.pool.query('TRUNCATE outbox, domain_event'));

const EARLY = new Date('2000-01-01T00:00:00Z');
const LATE = new Date('2100-01-01T00:00:00Z');

function list(
  page: { pageSize?: number; pageToken?: string; since?: Date; until?: Date } = {},
): Promise<ListStatusChangesResponse> {
  const { since = EARLY, until = LATE, ...rest } = page;
  const span = { recordedSince: toTimestamp(since), recordedUntil: toTimestamp(until) };
  return service.as('webhook').listStatusChanges({ ...span, ...rest });
}

const idsOf = ({ changes }: ListStatusChangesResponse) => changes.map(({ eventId }) => eventId);

async function accept(accountId = newId<AccountId>(), environment?: Environment.SANDBOX) {
  const { id } = await service.submit({ accountId, ...(environment ? { environment } : {}) });
  await service.decide(id);
  return id;
}

/** Creates an accepted submission that has emitted `count` changes, and returns their ids in order. */
async function emitted(count: number): Promise<{ id: SubmissionId; eventIds: string[] }> {
  const id = await accept();
  for (let more = 1; more < count; more += 1) {
    await service.as('webhook').restateSubmission({ submissionId: id, reason: RestatementReason.TEST });
  }
  const { rows } = await service.context.pool.query<{ event_id: string }>(
    `SELECT event_id FROM domain_event WHERE aggregate_id = $1 AND type LIKE '%StatusChanged' ORDER BY event_id`,
    [id],
  );
  return { id, eventIds: rows.map((row) => row.event_id) };
}

/** Changes an event's id, as if it had been recorded at that time; `n` orders events of one millisecond. */
async function moveTo(eventId: string | undefined, at: Date, n = 0): Promise<string> {
  const hex = at.getTime().toString(16).padStart(12, '0');
  const id = `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${String(n).padStart(12, '0')}`;
  for (const table of ['outbox', 'domain_event'])
    await service.context.pool.query(`UPDATE ${table} SET event_id = $2 WHERE event_id = $1`, [eventId, id]);
  return id;
}

/** Removes an event from the outbox, as the relay does after publishing. */
const publish = (eventId: string | undefined) =>
  service.context.pool.query('DELETE FROM outbox WHERE event_id = $1', [eventId]);

describe('ListStatusChanges', () => {
  it('returns the submission, account and time of each event', async () => {
    const accountId = newId<AccountId>();
    const { id } = await service.submit({ accountId, environment: Environment.SANDBOX, level: Level.BASIC });
    const { changedAt } = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
    const { changes } = await list();
    const row = await service.context.db.domainEvent.findFirstOrThrow({
      where: { type: { endsWith: 'StatusChanged' } },
    });
    expect(changes).toEqual([
      create(RecordedChangeSchema, {
        eventId: row.eventId,
        submissionId: id,
        accountId,
        environment: Environment.SANDBOX,
        occurredAt: toTimestamp(changedAt),
        unpublished: true,
      }),
    ]);
  });

  it('marks the changes waiting to be published, and not those published or refused by the stream', async () => {
    const { eventIds } = await emitted(3);
    await publish(eventIds[0]);
    await service.context.pool.query('UPDATE outbox SET parked_at = now() WHERE event_id = $1', [
      eventIds[1],
    ]);
    const { changes } = await list();
    expect(changes.map(({ eventId, unpublished }) => [eventId, unpublished])).toEqual([
      [eventIds[0], false],
      [eventIds[1], false],
      [eventIds[2], true],
    ]);
  });

  it('returns each change once across pages, in order, published or not, even within one millisecond', async () => {
    const { eventIds } = await emitted(7);
    const at = new Date('2026-11-20T10:00:00.123Z');
    const expected = [await moveTo(eventIds[6], new Date(at.getTime() - 1))];
    for (const [n, eventId] of eventIds.slice(1, 6).entries()) expected.push(await moveTo(eventId, at, n));
    expected.push(await moveTo(eventIds[0], new Date(at.getTime() + 1)));
    for (const n of [0, 2, 3, 6]) await publish(expected[n]);
    const seen: unknown[] = [];
    let pageToken: string | undefined = '';
    for (let page = 0; pageToken !== undefined && page < 10; page += 1) {
      const answer: ListStatusChangesResponse = await list({ pageSize: 2, pageToken });
      seen.push(...idsOf(answer));
      pageToken = answer.nextPageToken || undefined;
    }
    expect(seen).toEqual(expected);
  });

  it('includes the beginning of the range and excludes its end', async () => {
    const { eventIds } = await emitted(3);
    const since = new Date('2026-11-20T10:00:00.000Z');
    const until = new Date('2026-11-20T10:00:01.000Z');
    await moveTo(eventIds[0], new Date(since.getTime() - 1));
    const first = await moveTo(eventIds[1], since);
    await moveTo(eventIds[2], until);
    const answer = await list({ since, until });
    expect(idsOf(answer)).toEqual([first]);
    expect(answer.nextPageToken).toBe('');
  });

  it.each([
    'x',
    'MTIz',
    Buffer.from('1.-1').toString('base64url'),
    Buffer.from('1.1;').toString('base64url'),
  ])('rejects the page token %j', async (pageToken) => {
    const error = await list({ pageToken }).catch((cause: unknown) => cause);
    expect(refusalOf(error)).toMatchObject({
      code: RefusalCode.VALIDATION_ERROR,
      violations: [{ path: 'page_token' }],
    });
  });

  it('reads a page using only the index on ids within its days, however much else is stored', async () => {
    const { pool } = service.context;
    // Uses the middle of a full day, since a day that has just begun has too few rows for an index to pay off.
    const until = new Date(new Date().setUTCHours(12, 0, 0, 0) - 86_400_000);
    const since = new Date(until.getTime() - 1_800_000);
    await pool.query(
      `INSERT INTO domain_event (event_id, aggregate_id, type, subject, envelope)
       SELECT overlay(gen_random_uuid()::text PLACING
                      left(event_id_floor(now() - n * interval '10 seconds')::text, 13) FROM 1)::uuid,
              gen_random_uuid(), 'supplier.submission.v1.SubmissionStatusChanged', '', ''
       FROM generate_series(1, 20000) n`,
    );
    const statements: { text: string; values: unknown[] }[] = [];
    const recording: Pick<typeof pool, 'query'> = new Proxy(pool, {
      get: () => async (text: string, values: unknown[]) => {
        statements.push({ text, values });
        return { rows: [] };
      },
    });
    await listRecorded(recording, { since, until, after: undefined, limit: 500 });
    const [statement] = statements;
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      `EXPLAIN ${statement?.text}`,
      statement?.values,
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    const day = (date: Date) => date.toISOString().slice(0, 10).replaceAll('-', '');
    expect(plan).toContain(`domain_event_${day(since)}_pkey`);
    expect(plan).not.toContain('Seq Scan on domain_event');
    const scanned = new Set(plan.match(/domain_event_\d{8}/g));
    expect([...scanned]).toEqual([`domain_event_${day(since)}`]);
  });
});

describe('FindSubmission', () => {
  const find = (accountId: string, environment: Environment, externalReference: string) =>
    service.as('webhook').findSubmission({ accountId, environment, externalReference });

  it('returns only the id', async () => {
    const accountId = newId<AccountId>();
    const { id } = await service.submit({ accountId, externalReference: 'Ref 1' });
    expect(await find(accountId, Environment.PRODUCTION, 'Ref 1')).toEqual(
      create(FindSubmissionResponseSchema, { submissionId: id }),
    );
    expect(await find(accountId.toUpperCase(), Environment.PRODUCTION, 'Ref 1')).toEqual(
      create(FindSubmissionResponseSchema, { submissionId: id }),
    );
  });

  it('does not find a reference of another account or environment, or with different spelling', async () => {
    const accountId = newId<AccountId>();
    await service.submit({ accountId, externalReference: 'Ref 1' });
    for (const attempt of [
      () => find(newId<AccountId>(), Environment.PRODUCTION, 'Ref 1'),
      () => find(accountId, Environment.SANDBOX, 'Ref 1'),
      () => find(accountId, Environment.PRODUCTION, 'ref 1'),
    ]) {
      const error = await attempt().catch((cause: unknown) => cause);
      expect(refusalOf(error)?.code).toBe(RefusalCode.NOT_FOUND);
    }
  });
});

describe('GetSubmissionOwner', () => {
  const owner = (submissionId: string) => service.as('webhook').getSubmissionOwner({ submissionId });

  it('returns only the account and the environment', async () => {
    const accountId = newId<AccountId>();
    const { id } = await service.submit({ accountId, environment: Environment.SANDBOX });
    expect(await owner(id)).toEqual(
      create(GetSubmissionOwnerResponseSchema, { accountId, environment: Environment.SANDBOX }),
    );
  });

  it('does not find an unknown submission', async () => {
    const error = await owner(newId()).catch((cause: unknown) => cause);
    expect(refusalOf(error)?.code).toBe(RefusalCode.NOT_FOUND);
  });
});

describe('ListOwners', () => {
  const owners = async (submissionIds: string[]) =>
    (await service.as('document').listOwners({ submissionIds })).owners;

  it('returns the owner of each known submission once, erased or not, and omits the others', async () => {
    const [sandbox, production] = [newId<AccountId>(), newId<AccountId>()];
    const { id: one } = await service.submit({ accountId: sandbox, environment: Environment.SANDBOX });
    const { id: erased } = await service.submit({ accountId: production });
    await inTransaction(service.context.pool, (tx) => eraseSubmission(tx, erased, new Date()));
    const unknown = Array.from({ length: 996 }, () => newId());
    const found = await owners([...unknown, one, one.toUpperCase(), erased, erased]);
    expect(
      found.map(({ submissionId, accountId, environment }) => [submissionId, accountId, environment]),
    ).toEqual(
      expect.arrayContaining([
        [one, sandbox, Environment.SANDBOX],
        [erased, production, Environment.PRODUCTION],
      ]),
    );
    expect(found).toHaveLength(2);
  });

  it('rejects a value that is not a UUID', async () => {
    const error = await owners(['nobody']).catch((refused: unknown) => refused);
    expect(refusalOf(error)?.violations).toMatchObject([{ path: 'submission_ids' }]);
  });
});

describe('ListAccepted', () => {
  const accepted = async (...submissionIds: string[]) =>
    (await service.as('gateway').listAccepted({ submissionIds })).submissionIds;

  it('returns only accepted submissions, including returned ones', async () => {
    const [waiting, accepting, returned] = [
      (await service.submitUndecided()).id,
      (await service.submit()).id,
      (await service.submit()).id,
    ];
    for (const id of [accepting, returned]) await service.decide(id);
    const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
    await service.staff.returnSubmission({ submissionId: returned, reasonCategory });
    expect(await service.statusOf(returned)).toBe(Status.RETURNED);
    const found = await accepted(waiting, accepting.toUpperCase(), returned, newId());
    expect(found.sort()).toEqual([accepting, returned].sort());
  });

  it('rejects an invalid id', async () => {
    const error = await accepted(newId(), 'x').catch((cause: unknown) => cause);
    expect(refusalOf(error)?.code).toBe(RefusalCode.VALIDATION_ERROR);
  });
});
