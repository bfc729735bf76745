import type {
  Change,
  ClientRequest,
  Delivery,
  Evidence,
  SeenStatus,
  Status,
  Submission,
} from './evidence.ts';

/** A promise, and the exceptions to it in the evidence: one line each. Pure. */
export type Rule = (evidence: Evidence) => string[];

const MAX_ATTEMPTS = 8;
const DAY_MS = 86_400_000;

/** Responses to a request that an outage or a limit prevented; 0 is none. */
export const OUTAGES: readonly number[] = [0, 429, 503];
/** The other responses to each kind of request. */
const ANSWERS: Readonly<Record<ClientRequest['kind'], readonly number[]>> = {
  create: [200, 202],
  read: [200],
  changed: [409],
  invalid: [422],
};

/** The statuses that may follow each status. */
const NEXT_STATUSES: Readonly<Record<Status, readonly Status[]>> = {
  received: ['accepted', 'duplicate_not_accepted', 'rejected'],
  accepted: ['accepted', 'returned'],
  duplicate_not_accepted: [],
  rejected: [],
  returned: [],
};

/** Every promise that a run checks, by name. */
export const rules: Readonly<Record<string, Rule>> = {
  'every response is one that the guides name': ({ requests }) =>
    requests.flatMap(({ kind, reference, answer }) =>
      OUTAGES.includes(answer) || ANSWERS[kind].includes(answer) ? [] : [`${kind} ${reference}: ${answer}`],
    ),
  'every request is answered in the end': ({ requests, secrets }) => [
    ...[...Map.groupBy(requests, ({ kind, reference }) => `${kind} ${reference}`)].flatMap(([key, same]) =>
      OUTAGES.includes(same.at(-1)?.answer ?? 0) ? [key] : [],
    ),
    ...secrets.flatMap(({ accountId, secret, until }) =>
      secret === '' && until === null ? [`rotation of ${accountId}`] : [],
    ),
  ],
  'every state in a response is one that the submission was in': ({ requests, changes }) => {
    const bySubmission = changesBySubmission(changes);
    return requests.filter(hasSeen).flatMap(({ kind, seen }) => {
      const isNew = seen.status === 'received' && seen.billing === 'pending';
      const wasIn = bySubmission.get(seen.submissionId)?.some((change) => isSame(change, seen));
      return isNew || wasIn ? [] : [`${kind} ${seen.submissionId}: ${seen.status} ${seen.billing}`];
    });
  },
  'every acknowledged submission exists once, under the id in its response': ({ requests, submissions }) => {
    const byReference = Map.groupBy(submissions, (one) => keyOf(one.accountId, one.reference));
    return requests.flatMap(({ kind, accountId, reference, seen }) => {
      if (kind !== 'create' || !seen) return [];
      const stored = byReference.get(keyOf(accountId, reference)) ?? [];
      return stored.length === 1 && stored[0]?.id === seen.submissionId
        ? []
        : [`${reference}: ${stored.length} stored`];
    });
  },
  'every submission was sent by its supplier': ({ requests, submissions }) => {
    const sent = new Set(
      requests.filter(({ kind }) => kind === 'create').map((one) => keyOf(one.accountId, one.reference)),
    );
    return submissions.filter((one) => !sent.has(keyOf(one.accountId, one.reference))).map(({ id }) => id);
  },
  'nothing refused is stored': ({ requests, submissions }) => {
    const stored = new Set(submissions.map((one) => keyOf(one.accountId, one.reference)));
    return requests.flatMap(({ kind, accountId, reference }) =>
      kind === 'invalid' && stored.has(keyOf(accountId, reference)) ? [reference] : [],
    );
  },
  'a changed body never replaces the first one': ({ requests }) =>
    requests.flatMap(({ kind, answer, reference }) =>
      kind === 'changed' && answer >= 200 && answer < 300 ? [`${reference}: answered ${answer}`] : [],
    ),
  'a response is never older than one received before': ({ requests }) =>
    [...Map.groupBy(requests.filter(hasSeen), ({ seen }) => seen.submissionId)].flatMap(([id, seen]) =>
      seen.some((later) =>
        seen.some(
          (earlier) => earlier.answeredAt < later.sentAt && progressOf(earlier.seen) > progressOf(later.seen),
        ),
      )
        ? [id]
        : [],
    ),
  'a response is never older than a webhook received before': ({ requests, deliveries }) => {
    const received = Map.groupBy(deliveries, ({ seen }) => seen.submissionId);
    return requests
      .filter(hasSeen)
      .flatMap(({ seen, sentAt }) =>
        received
          .get(seen.submissionId)
          ?.some((webhook) => webhook.at < sentAt && progressOf(webhook.seen) > progressOf(seen))
          ? [seen.submissionId]
          : [],
      );
  },
  'every submission is decided': ({ submissions }) =>
    submissions.filter(({ status }) => status === 'received').map(({ id }) => id),
  'an accepted submission has exactly one Application, and no other has one': ({
    submissions,
    applications,
  }) => {
    const bySubmission = Map.groupBy(applications, ({ submissionId }) => submissionId);
    return submissions.flatMap(({ id, status, applicationReference }) => {
      const own = bySubmission.get(id) ?? [];
      const expected = status === 'accepted' || status === 'returned' ? 1 : 0;
      const matches = own.length === expected && (own[0]?.reference ?? null) === applicationReference;
      return matches ? [] : [`${id}: ${own.length}`];
    });
  },
  'Application references are unique': ({ applications }) =>
    repeated(applications.map(({ reference }) => reference)),
  'the changes of a submission have consecutive versions, up to its own': ({ submissions, changes }) => {
    const bySubmission = changesBySubmission(changes);
    return submissions.flatMap(({ id, version }) => {
      const versions = (bySubmission.get(id) ?? []).map((change) => change.version);
      return versions.length === version && versions.every((one, at) => one === at + 1)
        ? []
        : [`${id}: ${versions.join(' ')} of ${version}`];
    });
  },
  'status and billing change in a legal order': ({ changes }) =>
    [...changesBySubmission(changes)].flatMap(([id, own]) => (isLegal(own) ? [] : [id])),
  'the last change equals the stored state': ({ submissions, changes }) => {
    const bySubmission = changesBySubmission(changes);
    return submissions.flatMap(({ id, status, billing }) => {
      const last = bySubmission.get(id)?.at(-1);
      return !last || (last.status === status && last.billing === billing) ? [] : [id];
    });
  },
  'the earliest submission of a customer is the accepted one': ({ requests, submissions, accounts }) => {
    const capped = new Set(accounts.filter(({ dailyCap }) => dailyCap !== null).map(({ id }) => id));
    return [...submissionsByCustomer(requests, submissions)].flatMap(([customer, same]) => {
      // A cap can reject the earliest.
      if (same.some(({ accountId }) => capped.has(accountId))) return [];
      const [first, ...later] = [...same].sort(byReceipt);
      const isWrong =
        (first?.status !== 'accepted' && first?.status !== 'returned') ||
        later.some(
          ({ status, duplicateOf, hasEnquiry }) =>
            // An erasure removes the reference to the other submission.
            status !== 'duplicate_not_accepted' || (hasEnquiry && duplicateOf !== first.id),
        );
      return isWrong ? [`customer ${customer}`] : [];
    });
  },
  'caps are exact': ({ accounts, submissions, changes }) => {
    const acceptedAt = new Map(
      changes
        .filter(({ status }) => status === 'accepted')
        // The first one is set last.
        .toSorted((a, b) => b.version - a.version)
        .map((one) => [one.submissionId, one.occurredAt]),
    );
    return accounts.flatMap(({ id, dailyCap }) => {
      if (dailyCap === null) return [];
      const own = submissions.filter(({ accountId }) => accountId === id);
      const perDay = Map.groupBy(
        own.filter((one) => acceptedAt.has(one.id)),
        (one) => Math.floor((acceptedAt.get(one.id) ?? 0) / DAY_MS),
      );
      const isOver = [...perDay.values()].some(({ length }) => length > dailyCap);
      const accepted = [...perDay.values()].reduce((sum, { length }) => sum + length, 0);
      const isUnder = own.some(({ status }) => status === 'rejected') && accepted < dailyCap;
      return isOver || isUnder ? [`${id}: ${accepted} of ${dailyCap}`] : [];
    });
  },
  'the ledger equals the billing state': ({ submissions, ledger, changes }) => {
    const bySubmission = Map.groupBy(ledger, ({ submissionId }) => submissionId);
    const wasBillable = new Set(
      changes.filter(({ billing }) => billing === 'billable').map(({ submissionId }) => submissionId),
    );
    const known = new Set(submissions.map(({ id }) => id));
    const unknown = ledger.filter(({ submissionId }) => !known.has(submissionId));
    return [
      ...unknown.map(({ submissionId }) => `${submissionId}: unknown`),
      ...submissions.flatMap(({ id, billing }) => {
        const kinds = (bySubmission.get(id) ?? [])
          .map(({ kind }) => kind)
          .sort()
          .join(' ');
        const returned = wasBillable.has(id) ? 'charge credit' : '';
        return kinds === (billing === 'billable' ? 'charge' : returned)
          ? []
          : [`${id}: ${kinds || 'nothing'}`];
      }),
    ];
  },
  'a statement equals the ledger': ({ statements, ledger }) =>
    statements.flatMap(({ accountId, charges, credits }) => {
      const count = (kind: string) =>
        ledger.filter((line) => line.accountId === accountId && line.kind === kind).length;
      return count('charge') === charges && count('credit') === credits ? [] : [accountId];
    }),
  'every change has one event, superseded only by a later one': ({ accounts, changes, events }) => {
    const reported = new Set(accounts.filter(({ hasEndpoint }) => hasEndpoint).map(({ id }) => id));
    const byId = new Map(events.map((event) => [event.id, event]));
    return changes.flatMap(({ eventId, accountId }) => {
      if (!reported.has(accountId)) return [];
      const event = byId.get(eventId);
      if (!event) return [`${eventId}: none`];
      const later = event.supersededBy === null ? undefined : byId.get(event.supersededBy);
      const isCovered =
        event.state !== 'superseded' ||
        (later !== undefined &&
          later.submissionId === event.submissionId &&
          later.occurredAt >= event.occurredAt);
      return isCovered ? [] : [`${eventId}: superseded by nothing`];
    });
  },
  'every webhook has a status object': ({ unreadable }) => [...unreadable],
  'a delivery equals the change with its event id': ({ changes, deliveries }) => {
    const byId = new Map(changes.map((change) => [change.eventId, change]));
    return deliveries.flatMap(({ eventId, accountId, occurredAt, seen }) => {
      const change = byId.get(eventId);
      const isEqual =
        change?.submissionId === seen.submissionId &&
        change.accountId === accountId &&
        change.occurredAt === occurredAt &&
        isSame(change, seen);
      return isEqual ? [] : [eventId];
    });
  },
  'an event is attempted at most eight times': ({ events, deliveries }) => {
    const received = Map.groupBy(deliveries, ({ eventId }) => eventId);
    return events.flatMap(({ id, attempts }) =>
      Math.max(attempts, received.get(id)?.length ?? 0) > MAX_ATTEMPTS ? [id] : [],
    );
  },
  'every attempt of an event has the same body': ({ deliveries }) =>
    [...Map.groupBy(deliveries, ({ eventId }) => eventId)].flatMap(([id, same]) =>
      new Set(same.map(({ body }) => body)).size > 1 ? [id] : [],
    ),
  'every delivery is signed with a secret in force': ({ deliveries, ...evidence }) =>
    deliveries.flatMap((delivery) => (isSignedInForce(delivery, evidence) ? [] : [delivery.eventId])),
  'a delivered event was received': ({ events, deliveries }) => {
    const received = new Set(deliveries.map(({ eventId }) => eventId));
    return events.filter(({ id, state }) => state === 'delivered' && !received.has(id)).map(({ id }) => id);
  },
  'the newest event equals the stored state': ({ accounts, submissions, deliveries }) => {
    const reported = new Set(accounts.filter(({ hasEndpoint }) => hasEndpoint).map(({ id }) => id));
    const bySubmission = Map.groupBy(deliveries, ({ seen }) => seen.submissionId);
    return submissions.flatMap((one) => {
      if (!reported.has(one.accountId)) return [];
      const newest = (bySubmission.get(one.id) ?? []).toSorted((a, b) => b.occurredAt - a.occurredAt)[0];
      if (!newest) return [`${one.id}: none`];
      return newest.seen.status === one.status && newest.seen.billing === one.billing ? [] : [one.id];
    });
  },
  'an erased submission keeps no personal data': ({ erasures, traces, namesFound }) => {
    const erased = new Set(erasures.filter(({ held }) => !held).map(({ submissionId }) => submissionId));
    const left = traces.filter(({ submissionId }) => erased.has(submissionId));
    return [...left.map(({ submissionId, place }) => `${submissionId}: ${place}`), ...namesFound];
  },
  'a held submission is kept': ({ erasures, submissions }) => {
    const withEnquiry = new Set(submissions.filter(({ hasEnquiry }) => hasEnquiry).map(({ id }) => id));
    return erasures.flatMap(({ submissionId, held }) =>
      held && !withEnquiry.has(submissionId) ? [submissionId] : [],
    );
  },
  'an approval permits only what was approved': ({ approvals }) =>
    approvals.filter(({ isAccepted }) => isAccepted).map(({ usedFor }) => usedFor),
  'every queue is empty': ({ queues }) => queues.map(({ name, rows }) => `${name}: ${rows}`),
};

/** Returns the broken rules with their exceptions. */
export function violations(evidence: Evidence): ReadonlyMap<string, readonly string[]> {
  const all = Object.entries(rules).map(([name, rule]): [string, string[]] => [name, rule(evidence)]);
  return new Map(all.filter(([, exceptions]) => exceptions.length > 0));
}

const keyOf = (accountId: string, reference: string) => `${accountId} ${reference}`;

const hasSeen = (one: ClientRequest): one is ClientRequest & { readonly seen: SeenStatus } =>
  one.seen !== null;

/** Orders the states of a submission: received, decided, returned; billing counts within a status. */
function progressOf({ status, billing }: SeenStatus): number {
  const base = { received: 0, accepted: 2, duplicate_not_accepted: 2, rejected: 2, returned: 4 }[status];
  return base + (billing === 'pending' ? 0 : 1);
}

const byReceipt = (a: Submission, b: Submission) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1);

const isSame = (change: Change, seen: SeenStatus) =>
  change.status === seen.status && change.billing === seen.billing;

function changesBySubmission(changes: readonly Change[]): Map<string, Change[]> {
  return Map.groupBy(
    changes.toSorted((a, b) => a.version - b.version),
    ({ submissionId }) => submissionId,
  );
}

function isLegal(changes: readonly Change[]): boolean {
  let status: Status = 'received';
  let billing = 'pending';
  for (const change of changes) {
    if (!NEXT_STATUSES[status].includes(change.status)) return false;
    const isSettled = billing !== 'pending' && change.billing !== billing;
    if (isSettled && !(billing === 'billable' && change.status === 'returned')) return false;
    ({ status, billing } = change);
  }
  return true;
}

function submissionsByCustomer(
  requests: readonly ClientRequest[],
  submissions: readonly Submission[],
): Map<number, Submission[]> {
  const customers = new Map(
    requests.flatMap(({ kind, accountId, reference, customer }) =>
      kind === 'create' ? [[keyOf(accountId, reference), customer] as const] : [],
    ),
  );
  return Map.groupBy(submissions, (one) => customers.get(keyOf(one.accountId, one.reference)) ?? Number.NaN);
}

function isSignedInForce(
  { accountId, signedWith, at }: Delivery,
  { secrets, inFlightMs }: Pick<Evidence, 'secrets' | 'inFlightMs'>,
): boolean {
  return secrets.some(
    ({ accountId: owner, secret, from, until }) =>
      owner === accountId &&
      (secret === '' || signedWith.includes(secret)) &&
      at >= from &&
      (until === null || at <= until + inFlightMs),
  );
}

function repeated(values: readonly string[]): string[] {
  const seen = new Set<string>();
  return values.filter((value) => seen.size === seen.add(value).size);
}
