import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { consume, statusChanged } from '../../testing/status-changes.ts';
import { openTestService, START } from '../../testing/test-service.ts';
import type { ListedChange } from '../model/reconciliation.ts';
import { compareChanges } from './reconcile.ts';

const SPAN = { since: START, until: new Date(START.getTime() + 3_600_000) };

const service = forAllTests(() => openTestService());

/** Creates a change of a submission at an account's endpoint, with its event or with the event lost. */
async function change(accountId: AccountId, { lost }: { lost: boolean }): Promise<ListedChange> {
  const occurredAt = new Date(START.getTime() + 1);
  const made = statusChanged({ accountId, occurredAt });
  if (!lost) await consume(service.context, made);
  const { eventId, submissionId } = made;
  return { eventId, submissionId, accountId, environment: 'sandbox', occurredAt, unpublished: false };
}

/** Compares changes that are listed one per page, and returns the restated submissions. */
async function compare(changes: readonly ListedChange[], repair: boolean) {
  const restated: SubmissionId[] = [];
  const comparison = compareChanges({
    ...service.context,
    listChanges: async (_span, at) => ({
      changes: changes.slice(Number(at), Number(at) + 1),
      next: Number(at) + 1 < changes.length ? `${Number(at) + 1}` : '',
    }),
    restate: async (submissionId) => {
      restated.push(submissionId);
      return { eventId: newId<EventId>(), occurredAt: START };
    },
  });
  const found = [];
  let [at, compared] = ['', 0];
  do {
    const part = await comparison({ span: SPAN, at, repair });
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
    compared: 2,
  });
  for (let time = 0; time < 2; time += 1)
    expect(await compare([kept, lost], true)).toEqual({
      found: [['missing', lost.submissionId, true]],
      restated: [lost.submissionId],
      compared: 2,
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
