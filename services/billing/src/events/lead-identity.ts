import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/ids';
import type { BillingModel, Environment } from '@supplier/proto/common/v1/status';
import type { LeadIdentity } from '../domain/lead.ts';
import { BILLING_MODELS, ENVIRONMENTS, wordFor } from '../messages/words.ts';

/** What every event of the submission service says about the lead itself. */
interface LeadFields {
  readonly aggregateId: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly billingModel: BillingModel;
}

/** Reads a lead's identity from an event; throws when the event breaks its contract. */
export function leadIdentity({
  aggregateId,
  accountId,
  environment,
  billingModel,
}: LeadFields): LeadIdentity {
  const submission = parseId<SubmissionId>(aggregateId);
  const account = parseId<AccountId>(accountId);
  if (!submission || !account) throw new Error('an event names a submission and an account');
  return {
    submissionId: submission,
    accountId: account,
    environment: wordFor(ENVIRONMENTS, environment),
    billingModel: wordFor(BILLING_MODELS, billingModel),
  };
}
