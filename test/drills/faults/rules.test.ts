import type { Evidence } from './evidence.ts';
import { CAPPED, goodHistory, item, type Mutable, NOON, PLAIN } from './good-history.ts';
import { rules, violations } from './rules.ts';

/** Violations, each with the rule that must report it. */
const planted: [violation: string, rule: keyof typeof rules, plant: (good: Mutable<Evidence>) => void][] = [
  [
    'a repeat that was refused as changed',
    'every response is one that the guides name',
    ({ requests }) => {
      item(requests, { reference: 'a', kind: 'create' }).answer = 409;
    },
  ],
  [
    'a request that was given up',
    'every request is answered in the end',
    ({ requests }) => requests.push({ ...item(requests, { reference: 'a', kind: 'read' }), answer: 503 }),
  ],
  [
    'a rotation that was given up',
    'every request is answered in the end',
    ({ secrets }) => secrets.push({ accountId: PLAIN, secret: '', from: NOON, until: null }),
  ],
  [
    'a response with a state that the submission never had',
    'every state in a response is one that the submission was in',
    ({ requests }) => {
      const read = item(requests, { reference: 'e', kind: 'read' });
      if (read.seen) read.seen = { ...read.seen, status: 'duplicate_not_accepted' };
    },
  ],
  [
    'a webhook that cannot be read',
    'every webhook has a status object',
    ({ unreadable }) => unreadable.push('a1'),
  ],
  [
    'a webhook with another state than its change',
    'a delivery equals the change with its event id',
    ({ deliveries }) => {
      const delivery = item(deliveries, { eventId: 'b1' });
      delivery.seen = { ...delivery.seen, status: 'returned', billing: 'not_billable' };
    },
  ],
  [
    'an event id without a change',
    'a delivery equals the change with its event id',
    ({ deliveries }) => deliveries.push({ ...item(deliveries, { eventId: 'a1' }), eventId: 'x1' }),
  ],
  [
    'one acceptance more than the cap, followed by a change on another day',
    'caps are exact',
    ({ changes }) => {
      const first = item(changes, { eventId: 'e1' });
      first.status = 'accepted';
      changes.push({ ...first, eventId: 'e2', version: 2, occurredAt: NOON + 86_400_000 });
    },
  ],
  [
    'an acknowledged submission that is lost',
    'every acknowledged submission exists once, under the id in its response',
    ({ submissions }) => submissions.splice(4, 1),
  ],
  [
    'a repeat that was stored twice',
    'every acknowledged submission exists once, under the id in its response',
    ({ submissions }) => submissions.push({ ...item(submissions, { id: 'a' }), id: 'a-again' }),
  ],
  [
    'a repeat that returned another id',
    'every acknowledged submission exists once, under the id in its response',
    ({ requests }) => {
      const create = item(requests, { reference: 'a', kind: 'create' });
      if (create.seen) create.seen = { ...create.seen, submissionId: 'b' };
    },
  ],
  [
    'a submission that was never sent',
    'every submission was sent by its supplier',
    ({ submissions }) =>
      submissions.push({ ...item(submissions, { id: 'e' }), id: 'x', reference: 'x', customer: 7 } as never),
  ],
  [
    'a refused submission that is stored',
    'nothing refused is stored',
    ({ submissions }) =>
      submissions.push({ ...item(submissions, { id: 'e' }), id: 'z', reference: 'z', accountId: PLAIN }),
  ],
  [
    'a changed body that was accepted',
    'a changed body never replaces the first one',
    ({ requests }) => {
      item(requests, { reference: 'a', kind: 'changed' }).answer = 200;
    },
  ],
  [
    'a read that returned an older state than an earlier response',
    'a response is never older than one received before',
    ({ requests }) => {
      const read = item(requests, { reference: 'a', kind: 'read' });
      requests.push({
        ...read,
        sentAt: read.sentAt + 100,
        answeredAt: read.answeredAt + 100,
        seen: item(requests, { reference: 'a', kind: 'create' }).seen,
      });
    },
  ],
  [
    'a read that returned an older state than an earlier webhook',
    'a response is never older than a webhook received before',
    ({ requests }) => {
      const read = item(requests, { reference: 'b', kind: 'read' });
      requests.splice(requests.indexOf(read), 1);
      const accepted = { status: 'accepted', billing: 'billable' } as const;
      if (read.seen) requests.push({ ...read, seen: { ...read.seen, ...accepted } });
    },
  ],
  [
    'a submission that is left undecided',
    'every submission is decided',
    ({ submissions }) => {
      item(submissions, { id: 'e' }).status = 'received';
    },
  ],
  [
    'an accepted submission without an Application',
    'an accepted submission has exactly one Application, and no other has one',
    ({ applications }) => applications.splice(0, 1),
  ],
  [
    'a second Application',
    'an accepted submission has exactly one Application, and no other has one',
    ({ applications }) => applications.push({ submissionId: 'a', reference: 'APP-second' }),
  ],
  [
    'two Applications with one reference',
    'Application references are unique',
    ({ applications, submissions }) => {
      item(applications, { submissionId: 'b' }).reference = 'APP-a';
      item(submissions, { id: 'b' }).applicationReference = 'APP-a';
    },
  ],
  [
    'a change whose event was never written',
    'the changes of a submission have consecutive versions, up to its own',
    ({ changes }) => changes.splice(changes.indexOf(item(changes, { eventId: 'b1' })), 1),
  ],
  [
    'a rejected submission that is accepted later',
    'status and billing change in a legal order',
    ({ changes }) => {
      item(changes, { eventId: 'b1' }).status = 'rejected';
    },
  ],
  [
    'a submission that became billable after it was not billable',
    'status and billing change in a legal order',
    ({ changes }) => {
      item(changes, { eventId: 'b1' }).billing = 'not_billable';
      item(changes, { eventId: 'b2' }).billing = 'billable';
    },
  ],
  [
    'an event with another state than the stored one',
    'the last change equals the stored state',
    ({ changes }) => {
      item(changes, { eventId: 'e1' }).status = 'duplicate_not_accepted';
    },
  ],
  [
    'a later submission of a customer that was accepted too',
    'the earliest submission of a customer is the accepted one',
    ({ submissions }) => {
      Object.assign(item(submissions, { id: 'c' }), { status: 'accepted', duplicateOf: null });
    },
  ],
  [
    'one acceptance more than the cap',
    'caps are exact',
    ({ changes }) => {
      item(changes, { eventId: 'e1' }).status = 'accepted';
    },
  ],
  [
    'a rejection below the cap',
    'caps are exact',
    ({ accounts }) => {
      item(accounts, { id: CAPPED }).dailyCap = 2;
    },
  ],
  [
    'a billable submission without a charge',
    'the ledger equals the billing state',
    ({ ledger }) => ledger.splice(0, 1),
  ],
  [
    'a submission that was charged twice',
    'the ledger equals the billing state',
    ({ ledger }) => ledger.push({ submissionId: 'a', accountId: PLAIN, kind: 'charge' }),
  ],
  [
    'a returned submission without a credit',
    'the ledger equals the billing state',
    ({ ledger }) => ledger.splice(ledger.indexOf(item(ledger, { kind: 'credit' })), 1),
  ],
  [
    'a statement that leaves out a charge',
    'a statement equals the ledger',
    ({ statements }) => {
      item(statements, { accountId: PLAIN }).charges = 1;
    },
  ],
  [
    'a change without an event',
    'every change has one event, superseded only by a later one',
    ({ events }) => events.splice(0, 1),
  ],
  [
    'an event superseded by an earlier one',
    'every change has one event, superseded only by a later one',
    ({ events }) => {
      Object.assign(item(events, { id: 'b2' }), { state: 'superseded', supersededBy: 'b1' });
    },
  ],
  [
    'a ninth attempt',
    'an event is attempted at most eight times',
    ({ events }) => {
      item(events, { id: 'a1' }).attempts = 9;
    },
  ],
  [
    'a second attempt with another body',
    'every attempt of an event has the same body',
    ({ deliveries }) => deliveries.push({ ...item(deliveries, { eventId: 'a1' }), body: 'other' }),
  ],
  [
    'a signature with a replaced secret',
    'every delivery is signed with a secret in force',
    ({ deliveries }) => {
      item(deliveries, { eventId: 'a1' }).at = NOON + 100_000;
    },
  ],
  [
    "a signature with another supplier's secret",
    'every delivery is signed with a secret in force',
    ({ deliveries }) => {
      item(deliveries, { eventId: 'a1' }).signedWith = ['own'];
    },
  ],
  [
    'an event recorded as delivered but not received',
    'a delivered event was received',
    ({ deliveries }) => deliveries.splice(deliveries.indexOf(item(deliveries, { eventId: 'b1' })), 1),
  ],
  [
    'a final state that was never reported',
    'the newest event equals the stored state',
    ({ deliveries }) => deliveries.splice(deliveries.indexOf(item(deliveries, { eventId: 'b2' })), 1),
  ],
  [
    'an erased submission whose enquiry is still stored',
    'an erased submission keeps no personal data',
    ({ erasures, traces }) => {
      erasures.push({ submissionId: 'a', held: false });
      traces.push({ submissionId: 'a', place: 'enquiry' });
    },
  ],
  [
    "an applicant's name outside sealed columns",
    'an erased submission keeps no personal data',
    ({ namesFound }) => namesFound.push('audit_entry.after'),
  ],
  [
    'an approval that was used for another submission',
    'an approval permits only what was approved',
    ({ approvals }) => approvals.push({ approvedFor: 'a', usedFor: 'b', isAccepted: true }),
  ],
  [
    'a held submission that was erased',
    'a held submission is kept',
    ({ erasures, submissions }) => {
      erasures.push({ submissionId: 'a', held: true });
      item(submissions, { id: 'a' }).hasEnquiry = false;
    },
  ],
  [
    'work that is never done',
    'every queue is empty',
    ({ queues }) => queues.push({ name: 'outbox', rows: 1 }),
  ],
];

describe('the rules', () => {
  it('find nothing in a good history', () => {
    expect(violations(goodHistory())).toEqual(new Map());
  });

  it.each(planted)('report %s', (_violation, rule, plant) => {
    const history = goodHistory();
    plant(history);
    expect([...violations(history).keys()]).toContain(rule);
  });

  it('allow any signature while the outcome of a rotation is unknown', () => {
    const history = goodHistory();
    item(history.deliveries, { eventId: 'a1' }).signedWith = [];
    expect([...violations(history).keys()]).toEqual(['every delivery is signed with a secret in force']);
    history.secrets.push({ accountId: PLAIN, secret: '', from: NOON - 1_000, until: NOON });
    expect(violations(history)).toEqual(new Map());
  });

  it('are each tested with a violation', () => {
    expect(new Set(planted.map(([, rule]) => rule))).toEqual(new Set(Object.keys(rules)));
  });
});
