import { refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EventId, firstIdAt, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import type { ListedChange } from '../model/reconciliation.ts';
import type { SubmissionOwner } from '../submission-client.ts';
import { compareChanges } from './compare-changes.ts';

const SPAN = { since: START, until: new Date(START.getTime() + 3_600_000) };

const service = forAllTests(() => openTestService());
beforeEach(() => service.pool.query('TRUNCATE event, attempt, restatement'));

/** Creates a change of a submission at an account's endpoint, with its event or with the event lost. */
async function change(accountId: AccountId, { lost }: { lost: boolean }): Promise<ListedChange> {
  const occurredAt = new Date(START.getTime() + 1);
  const made = statusChanged({ accountId, occurredAt });
  if (!lost) await consume(service.context, made);
  const { eventId, submissionId } = made;
  return { eventId, submissionId, accountId, environment: 'sandbox', occurredAt, unpublished: false };
}

const ownersOf = (changes: readonly ListedChange[]): Map<SubmissionId, SubmissionOwner> =>
  new Map(
    changes.map(({ submissionId, accountId, environment }) => [submissionId, { accountId, environment }]),
  );

/** Compares changes that are listed one per page unless said otherwise, and returns the restated submissions. */
async function compare(
  changes: readonly ListedChange[],
  repair: boolean,
  { span = SPAN, owners = ownersOf(changes), pageSize = 1, listed = async () => {} } = {},
) {
  const restated: SubmissionId[] = [];
  const comparison = compareChanges({
    ...service.context,
    listChanges: async (_span, at) => {
      const page = changes.slice(Number(at), Number(at) + pageSize);
      await listed();
      return {
        changes: page,
        next: Number(at) + pageSize < changes.length ? `${Number(at) + pageSize}` : '',
      };
    },
    listOwners: async (ids) => new Map([...owners].filter(([id]) => ids.includes(id))),
    restate: async (submissionId) => {
      restated.push(submissionId);
      return { eventId: newId<EventId>(), occurredAt: START };
    },
  });
  const found = [];
  let [at, compared] = ['', 0];
  do {
    const part = await comparison({ span, at, repair });
    found.push(...part.differences.map(({ what, target, repaired }) => [what, target, repaired]));
    compared += part.compared;
    at = part.next;
  } while (at !== '');
  return { found, restated, compared };
}

it('compareChanges finds a lost event on any page, and restates the status whenever repair is requested', async () => {
  const { accountId } = await service.createEndpoint();
  const [kept, lost] = [await change(accountId, { lost: false }), await change(accountId, { lost: true })];
  expect(await compare([kept, lost], false)).toEqual({
    found: [['missing', lost.submissionId, false]],
    restated: [],
    compared: 3,
  });
  for (let time = 0; time < 2; time += 1)
    expect(await compare([kept, lost], true)).toEqual({
      found: [['missing', lost.submissionId, true]],
      restated: [lost.submissionId],
      compared: 3,
    });
});

it('compareChanges leaves a late attempt to the workers and staff', async () => {
  const { accountId } = await service.createEndpoint();
  const stuck = await change(accountId, { lost: false });
  await service.db.event.update({
    where: { id: stuck.eventId },
    data: { nextAttemptAt: new Date(Date.now() - 3_600_000) },
  });
  expect(await compare([stuck], true)).toMatchObject({
    found: [['overdue', stuck.submissionId, false]],
    restated: [],
  });
});

it('compareChanges does not restate a change that awaits publication', async () => {
  const { accountId } = await service.createEndpoint();
  const waiting = { ...(await change(accountId, { lost: true })), unpublished: true };
  expect(await compare([waiting], true)).toEqual({
    found: [['missing', waiting.submissionId, false]],
    restated: [],
    compared: 1,
  });
});

/** Records events as a forger does: at these times, of submissions without a change. */
async function forge(accountId: AccountId, count: number, at = () => newId<EventId>()) {
  const forged = Array.from({ length: count }, () => {
    const { event, ...made } = statusChanged({ accountId, occurredAt: START });
    const id = at();
    return { ...made, eventId: id, event: { ...event, id } };
  });
  for (let from = 0; from < count; from += 500)
    await consume(service.context, ...forged.slice(from, from + 500));
  return forged.toSorted((a, b) => (a.eventId < b.eventId ? -1 : 1));
}

describe('compareChanges, from events to changes', () => {
  const unexplained = (forged: readonly { submissionId: SubmissionId }[]) =>
    forged.map(({ submissionId }) => ['unexplained', submissionId, false]);
  const HOUR_MS = 3_600_000;

  it('finds each of thousands of events of unknown submissions outside the span, whatever their age', async () => {
    const { accountId } = await service.createEndpoint();
    const kept = await change(accountId, { lost: false });
    const forged = await forge(accountId, 2_100);
    const old = await forge(accountId, 1, () => firstIdAt(0));
    const { found, compared } = await compare([kept], true);
    expect(found).toEqual(unexplained([...old, ...forged]));
    expect(compared).toBe(1 + 1 + 2_101);
  });

  it('finds events without a change of a known submission, before, between and after the pages of the span', async () => {
    const { accountId } = await service.createEndpoint();
    const span = { since: new Date(Date.now() - HOUR_MS), until: new Date(Date.now() + HOUR_MS) };
    const forgeOne = async () => (await forge(accountId, 1))[0] as { submissionId: SubmissionId };
    const forged = [await forgeOne()];
    const changes: ListedChange[] = [];
    for (let page = 0; page < 5; page += 1) {
      changes.push(await change(accountId, { lost: false }), await change(accountId, { lost: false }));
      forged.push(await forgeOne());
    }
    const all = [...changes, ...forged.map((event) => ({ ...(changes[0] as ListedChange), ...event }))];
    for (const pageSize of [1, 2, 3, 10])
      expect(await compare(changes, false, { span, owners: ownersOf(all), pageSize })).toMatchObject({
        found: unexplained(forged),
        compared: 10,
      });
    expect((await compare([], false, { span, owners: ownersOf(all) })).found).toHaveLength(16);
  });

  it('does not report a change that is recorded while its page is read', async () => {
    const { accountId } = await service.createEndpoint();
    const span = { since: new Date(Date.now() - HOUR_MS), until: new Date(Date.now() + HOUR_MS) };
    const changes = [await change(accountId, { lost: false })];
    let isFirst = true;
    const listed = async () => {
      if (isFirst) changes.push(await change(accountId, { lost: false }));
      isFirst = false;
    };
    expect((await compare(changes, false, { span, listed, pageSize: 9 })).found).toEqual([]);
  });

  it('finds an event of another account or environment than its submission or change', async () => {
    const { accountId } = await service.createEndpoint();
    const [one, other] = [await change(accountId, { lost: false }), await change(accountId, { lost: false })];
    const owners = ownersOf([
      { ...one, accountId: newId<AccountId>() },
      { ...other, environment: 'production' },
    ]);
    expect((await compare([], false, { owners })).found).toEqual([
      ['other_account', one.submissionId, false],
      ['other_environment', other.submissionId, false],
    ]);
    const changes: ListedChange[] = [
      { ...one, environment: 'production' },
      { ...other, accountId: newId<AccountId>() },
    ];
    expect((await compare(changes, false, { owners: ownersOf([one, other]) })).found).toEqual([
      ['differs', one.submissionId, false],
      ['differs', other.submissionId, false],
    ]);
  });

  it.each(['x', 'changes x', 'events', 'events x'])(
    'rejects the token %s, which it did not issue',
    async (at) => {
      const asked = compareChanges(service.context)({ span: SPAN, at, repair: false });
      expect((await asked.then(() => undefined, refusalOf))?.violations.map(({ path }) => path)).toEqual([
        'resume_token',
      ]);
    },
  );
});
