import { toTimestamp } from '@supplier/lib/text/time';
import { BillingStatus, Environment, Level, Status } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import type { StaffClients } from '../../../deploy/local/seed/staff-clients.ts';
import type { Rare } from './rare-submissions.ts';

type Submissions = StaffClients['submission'];
type Filter = Parameters<Submissions['listSubmissions']>[0];

/** A query that is measured repeatedly. */
export interface Question {
  readonly what: string;
  /** Requests a page, and resolves to the token of the next one; empty if there is none. */
  readonly call: (pageToken: string) => Promise<string>;
}

const HOUR_MS = 3_600_000;

/** Returns every list and filter, with the pages of each in turn. */
export function questionsOf(submissions: Submissions, rare: Rare): Question[] {
  const { accountId, smallAccountId, middle } = rare;
  const production = { accountId, environment: Environment.PRODUCTION };
  const before = toTimestamp(middle);
  const filters: Record<string, Filter> = {
    'newest first': {},
    'newest first, 200 a page': { pageSize: 200 },
    deep: { receivedUntil: before },
    'one account': { accountId },
    'one account and environment': production,
    'one account, deep': { ...production, receivedUntil: before },
    'a small account, all of it old': { accountId: smallAccountId },
    'an account without any': { accountId: '01900000-0000-7000-8000-00000000000f' },
    'the environment that has none of the account': { accountId, environment: Environment.SANDBOX },
    'an environment that has none': { environment: Environment.SANDBOX },
    'status, usual': { statuses: [Status.ACCEPTED] },
    'status, rare': { statuses: [Status.REJECTED] },
    'status, rare, of one account': { accountId, statuses: [Status.REJECTED] },
    received: { statuses: [Status.RECEIVED] },
    level: { level: Level.APPLICATION },
    'level, none': { level: Level.BASIC },
    'one hour': { receivedSince: toTimestamp(new Date(middle.getTime() - HOUR_MS)), receivedUntil: before },
    'billing status, rare': { billingStatus: BillingStatus.PENDING },
    'references, a few': { ...production, referencePrefix: 'filled-1234' },
    'references, most': { ...production, referencePrefix: 'filled-' },
    'references, none': { ...production, referencePrefix: 'nothing-' },
    'waiting for a decision by staff': { queues: [Queue.STAFF_DECISION] },
    'waiting for staff': { queues: [Queue.STAFF_DECISION, Queue.STAFF_PRE_UNDERWRITING] },
    'waiting for staff, of one account': {
      accountId: smallAccountId,
      queues: [Queue.STAFF_DECISION, Queue.STAFF_PRE_UNDERWRITING],
    },
    'waiting for a decision or an Application': { queues: [Queue.DECISION, Queue.APPLICATION] },
    parked: { queues: [Queue.PARKED] },
    'all filters': {
      ...production,
      statuses: [Status.ACCEPTED],
      level: Level.APPLICATION,
      billingStatus: BillingStatus.BILLABLE,
      receivedUntil: before,
      referencePrefix: 'filled-',
    },
  };
  return [
    ...Object.entries(filters).map(([what, filter]) => ({
      what,
      call: async (pageToken: string) =>
        (await submissions.listSubmissions({ ...filter, pageToken })).nextPageToken,
    })),
    inTurn('an Application', rare.applicationReferences, (applicationReference) =>
      submissions.listSubmissions({ applicationReference }),
    ),
    inTurn('timeline', rare.submissionIds, (submissionId) => submissions.getTimeline({ submissionId })),
    inTurn('queues', [''], () => submissions.getQueues({})),
  ];
}

/** Runs a different query each time, without pages. */
function inTurn(
  what: string,
  subjects: readonly string[],
  ask: (subject: string) => Promise<unknown>,
): Question {
  let asked = 0;
  return {
    what,
    call: async () => {
      const subject = subjects[asked % subjects.length];
      if (subject === undefined) throw new Error(`no rows match: ${what}`);
      asked += 1;
      await ask(subject);
      return '';
    },
  };
}
