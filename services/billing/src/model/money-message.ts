import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  type StatementLineSchema,
  type Statement as StatementMessage,
  StatementSchema,
  type StatementTotalsSchema,
} from '@supplier/proto/billing/v1/billing';
import { type Price as PriceMessage, PriceSchema } from '@supplier/proto/billing/v1/prices';
import { BILLING_MODELS, ENTRY_KINDS } from './enum-mapping.ts';
import type { BillingModel } from './ledger.ts';
import type { Price } from './price.ts';
import { type Statement, type StatementLine, sumOf, type Totals } from './statement.ts';

/** All money is in pounds sterling. */
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
  const models = Object.keys(BILLING_MODELS) as BillingModel[];
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

/** A line of a statement; `externalReference` is empty where the submission service does not know the submission. */
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
    occurredAt: toTimestamp(occurredAt),
    ...(pence === null ? {} : { pence, netPence: kind === 'credit' ? -pence : pence }),
  };
}
