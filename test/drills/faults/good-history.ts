import type { Evidence, SeenStatus } from './evidence.ts';

export const [PLAIN, CAPPED] = ['account-1', 'account-2'];
export const NOON = Date.UTC(2026, 0, 5, 12);

/** Two accepted submissions, one of them returned, and a duplicate of the first; one accepted of two under a cap of one. */
export function goodHistory(): Mutable<Evidence> {
  const stories = [
    { name: 'a', accountId: PLAIN, customer: 1, end: 'accepted' },
    { name: 'b', accountId: PLAIN, customer: 2, end: 'returned' },
    { name: 'c', accountId: PLAIN, customer: 1, end: 'duplicate_not_accepted' },
    { name: 'd', accountId: CAPPED, customer: 3, end: 'accepted' },
    { name: 'e', accountId: CAPPED, customer: 4, end: 'rejected' },
  ] as const;
  const evidence: Mutable<Evidence> = {
    ...{ requests: [], deliveries: [], unreadable: [], submissions: [], applications: [], changes: [] },
    ...{ ledger: [], events: [], queues: [], namesFound: [], erasures: [], traces: [], approvals: [] },
    inFlightMs: 30_000,
    accounts: [
      { id: PLAIN, dailyCap: null, hasEndpoint: true },
      { id: CAPPED, dailyCap: 1, hasEndpoint: true },
    ],
    secrets: [
      { accountId: PLAIN, secret: 'old', from: NOON - 1_000, until: NOON + 60_000 },
      { accountId: PLAIN, secret: 'new', from: NOON + 60_000, until: null },
      { accountId: CAPPED, secret: 'own', from: NOON - 1_000, until: null },
    ],
    statements: [
      { accountId: PLAIN, charges: 2, credits: 1 },
      { accountId: CAPPED, charges: 1, credits: 0 },
    ],
  };
  for (const [at, { name, accountId, customer, end }] of stories.entries()) {
    const start = NOON + at * 1_000;
    const wasAccepted = end === 'accepted' || end === 'returned';
    const applicationReference = wasAccepted ? `APP-${name}` : null;
    const states: Pick<SeenStatus, 'status' | 'billing'>[] = wasAccepted
      ? [{ status: 'accepted', billing: 'billable' }]
      : [{ status: end, billing: 'not_billable' }];
    if (end === 'returned') states.push({ status: 'returned', billing: 'not_billable' });
    const last = states.at(-1) as (typeof states)[number];
    const seen = { submissionId: name, reference: name, applicationReference };
    const asked = { accountId, reference: name, customer };
    evidence.requests.push(
      {
        ...{ ...asked, kind: 'create', sentAt: start, answeredAt: start + 10, answer: 202 },
        seen: { ...seen, status: 'received', billing: 'pending', applicationReference: null },
      },
      { ...asked, kind: 'changed', sentAt: start + 20, answeredAt: start + 30, answer: 409, seen: null },
      {
        ...{ ...asked, kind: 'read', sentAt: start + 50_000, answeredAt: start + 50_010, answer: 200 },
        seen: { ...seen, ...last },
      },
    );
    evidence.submissions.push({
      ...{ id: name, accountId, reference: name, receivedAt: start, ...last, applicationReference },
      ...{
        duplicateOf: end === 'duplicate_not_accepted' ? 'a' : null,
        version: states.length,
        hasEnquiry: true,
      },
    });
    if (wasAccepted) {
      evidence.applications.push({ submissionId: name, reference: `APP-${name}` });
      evidence.ledger.push({ submissionId: name, accountId, kind: 'charge' });
    }
    if (end === 'returned') evidence.ledger.push({ submissionId: name, accountId, kind: 'credit' });
    for (const [index, state] of states.entries()) {
      const eventId = `${name}${index + 1}`;
      const occurredAt = start + 100 * (index + 1);
      evidence.changes.push({
        eventId,
        submissionId: name,
        accountId,
        version: index + 1,
        occurredAt,
        ...state,
      });
      evidence.events.push({
        ...{ id: eventId, submissionId: name, occurredAt, state: 'delivered' },
        ...{ supersededBy: null, attempts: 1 },
      });
      evidence.deliveries.push({
        ...{ accountId, eventId, body: eventId, occurredAt, at: occurredAt + 10 },
        ...{ seen: { ...seen, ...state }, signedWith: [accountId === PLAIN ? 'old' : 'own'] },
      });
    }
  }
  evidence.requests.push({
    ...{ accountId: PLAIN, kind: 'invalid', reference: 'z', customer: 9, sentAt: NOON, answeredAt: NOON + 5 },
    ...{ answer: 422, seen: null },
  });
  return evidence;
}

export type Mutable<T> = {
  -readonly [K in keyof T]: T[K] extends readonly (infer Item)[] ? MutableItem<Item>[] : T[K];
};
type MutableItem<T> = { -readonly [K in keyof T]: T[K] };

/** Returns the item of a good history that has these values. */
export function item<T extends object>(items: T[], values: Partial<T>): T {
  const found = items.find((one) =>
    Object.entries(values).every(([key, value]) => Reflect.get(one, key) === value),
  );
  if (!found) throw new Error(`no item with ${JSON.stringify(values)}`);
  return found;
}
