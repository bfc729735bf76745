import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import {
  EntryKind,
  type StatementLineSchema,
  type Statement as StatementMessage,
  StatementSchema,
  type StatementTotalsSchema,
} from '@supplier/proto/billing/v1/billing';
import { type Price as PriceMessage, PriceSchema } from '@supplier/proto/billing/v1/prices';
import { type Billing, BillingModel, BillingStatus, Environment } from '@supplier/proto/common/v1/status';
import type * as own from './ledger.ts';
import type { BilledState } from './ledger.ts';
import type { Price } from './price.ts';
import { type Statement, type StatementLine, sumOf, type Totals } from './statement.ts';

// Internal enum names, as used by the domain and the database, mapped to the contract's values.

export const BILLING_MODELS: Readonly<Record<own.BillingModel, BillingModel>> = {
  accepted_submission: BillingModel.ACCEPTED_SUBMISSION,
  application_created: BillingModel.APPLICATION_CREATED,
  pre_underwriting_cleared: BillingModel.PRE_UNDERWRITING_CLEARED,
};

export const ENTRY_KINDS: Readonly<Record<own.EntryKind, EntryKind>> = {
  charge: EntryKind.CHARGE,
  credit: EntryKind.CREDIT,
};

/** Returns the internal name of a contract enum value. Throws for a value that is unset or unknown to this version. */
export function nameOf<Name extends string, Value>(
  mapping: Readonly<Record<Name, Value>>,
  value: Value,
): Name {
  for (const name in mapping) {
    if (mapping[name] === value) return name;
  }
  throw new Error('the enum value is unset or not known to this version');
}

/** Billing facts of a submission in the submission service's messages. */
export interface BillingMessage {
  readonly submissionId: string;
  readonly accountId: string;
  readonly environment: Environment;
  readonly billing?: Billing | undefined;
  readonly wasBillableAt?: Timestamp | undefined;
  readonly returnedAt?: Timestamp | undefined;
}

/** Reads a billing state. Throws when it breaks its contract. Implements docs/contract.md, section 6. */
export function readBilledState(message: BillingMessage): BilledState {
  const { environment, billing, wasBillableAt, returnedAt } = message;
  const submissionId = parseId<SubmissionId>(message.submissionId);
  const accountId = parseId<AccountId>(message.accountId);
  if (!submissionId || !accountId)
    throw new Error('invalid billing state: submission id or account id missing');
  if (!billing) throw new Error('invalid billing state: billing missing');
  const billableAt = billableSince(billing) ?? (returnedAt && wasBillableAt);
  if (billableAt && environment !== Environment.PRODUCTION)
    throw new Error('invalid billing state: billable outside production');
  return {
    submissionId,
    accountId,
    billingModel: nameOf(BILLING_MODELS, billing.billingModel),
    billableAt: billableAt ? toDate(billableAt) : null,
    returnedAt: returnedAt ? toDate(returnedAt) : null,
  };
}

function billableSince({ billingStatus, billableAt }: Billing): Timestamp | undefined {
  switch (billingStatus) {
    case BillingStatus.BILLABLE:
      if (!billableAt) throw new Error('invalid billing state: billable_at missing');
      return billableAt;
    case BillingStatus.PENDING:
    case BillingStatus.NOT_BILLABLE:
      return undefined;
    case BillingStatus.UNSPECIFIED:
      throw new Error('invalid billing state: billing status unspecified');
  }
}

/** All amounts are in pounds sterling. */
const CURRENCY = 'GBP';

export function priceMessage({ billingModel, pence, effectiveFrom, setAt }: Price): PriceMessage {
  return create(PriceSchema, {
    billingModel: BILLING_MODELS[billingModel],
    pence,
    currency: CURRENCY,
    effectiveFrom: toTimestamp(effectiveFrom),
    setAt: toTimestamp(setAt),
  });
}

export function statementMessage({ accountId, month, closedAt, byModel }: Statement): StatementMessage {
  const models = Object.keys(BILLING_MODELS) as own.BillingModel[];
  return create(StatementSchema, {
    accountId,
    month,
    ...(closedAt ? { closedAt: toTimestamp(closedAt) } : {}),
    currency: CURRENCY,
    totals: totalsMessage(sumOf(byModel)),
    byModel: models.flatMap((model) => {
      const totals = byModel[model];
      return totals ? [{ billingModel: BILLING_MODELS[model], totals: totalsMessage(totals) }] : [];
    }),
  });
}

function totalsMessage(totals: Totals): MessageInitShape<typeof StatementTotalsSchema> {
  const { charges, chargedPence, credits, creditedPence, unpriced } = totals;
  return {
    charges: BigInt(charges),
    chargedPence: BigInt(chargedPence),
    credits: BigInt(credits),
    creditedPence: BigInt(creditedPence),
    netPence: BigInt(chargedPence - creditedPence),
    unpriced: BigInt(unpriced),
  };
}

/** Returns a statement line; `externalReference` is empty when the submission service does not know the submission. */
export function lineMessage(
  line: StatementLine,
  externalReference: string,
): MessageInitShape<typeof StatementLineSchema> {
  const { entryId, submissionId, kind, billingModel, occurredAt, pence } = line;
  return {
    entryId,
    submissionId,
    externalReference,
    kind: ENTRY_KINDS[kind],
    billingModel: BILLING_MODELS[billingModel],
    ...(occurredAt && { occurredAt: toTimestamp(occurredAt) }),
    ...(pence === null ? {} : { pence, netPence: kind === 'credit' ? -pence : pence }),
  };
}
