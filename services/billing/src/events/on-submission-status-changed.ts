import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type EventHandler, on } from '@supplier/lib/event-bus';
import { toDate } from '@supplier/lib/time';
import { Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import type { ServiceContext } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import type { FactKind, LeadFact } from '../domain/billing-decision.ts';
import { applyNews } from './apply-news.ts';
import { leadIdentity } from './lead-identity.ts';

/** What the supplier can see of a submission has changed. Implements docs/contract.md, section 6. */
export function onSubmissionStatusChanged(context: ServiceContext): EventHandler<Transaction> {
  return on(SubmissionStatusChangedSchema, async ({ id, aggregateId, version, message }, applyOnce) => {
    const { accountId, submission } = message;
    if (!submission?.billing) throw new Error('a status change carries the status and its billing');
    const { environment, billing } = submission;
    const lead = leadIdentity({ aggregateId, accountId, environment, billingModel: billing.billingModel });
    const facts = factsOf(submission);
    await applyOnce((tx) => applyNews(context, tx, { eventId: id, version, lead, facts }));
  });
}

/** The facts that a status tells; a returned lead was accepted once, but that is past and charges nothing any more. */
function factsOf(submission: SubmissionStatus): LeadFact[] {
  const { status, decidedAt, applicationCreatedAt } = submission;
  switch (status) {
    case Status.RECEIVED:
      return [];
    case Status.ACCEPTED:
      return [
        fact('accepted', decidedAt),
        ...(applicationCreatedAt ? [fact('application_created', applicationCreatedAt)] : []),
      ];
    case Status.REJECTED:
      return [fact('rejected', decidedAt)];
    case Status.DUPLICATE_NOT_ACCEPTED:
      return [fact('duplicate', decidedAt)];
    case Status.RETURNED:
      return [fact('returned', submission.return?.returnedAt)];
    case Status.UNSPECIFIED:
      throw new Error('a submission has a status');
  }
}

function fact(kind: FactKind, at: Timestamp | undefined): LeadFact {
  if (!at) throw new Error('a status says since when it holds');
  return { kind, at: toDate(at) };
}
