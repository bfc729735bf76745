import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel, BillingModelSchema, Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { billing, mayCall } from '../../calls.ts';
import { EnumField, TextField } from '../../components/fields.tsx';
import { formatDay, startOfDay } from '../../dates.ts';
import { enumFlag, enumLabel, formatPounds } from '../../format.ts';
import { useSession } from '../../session.ts';
import { penceOf, priceSet } from './price.ts';

/** Sets the price of an account's submissions from a day on. */
export function SetPriceAction({ accountId, name }: { readonly accountId: string; readonly name: string }) {
  const { roles } = useSession();
  const [billingModel, setModel] = useState<BillingModel>(BillingModel.UNSPECIFIED);
  const [pounds, setPounds] = useState('');
  const [from, setFrom] = useState('');
  if (!mayCall(roles, BillingService.method.setPrice)) return null;
  const pence = penceOf(pounds);
  const isReady = billingModel !== BillingModel.UNSPECIFIED && pence !== undefined;
  return (
    <ConfirmDialog
      name="Set price"
      description={
        isReady
          ? `${name} pays ${formatPounds(pence)} per submission (${enumLabel(BillingModelSchema, billingModel)}) from ${from ? formatDay(from) : 'now'}. Unpriced lines get this price. Priced lines don’t change.`
          : `Sets the price per submission for ${name}. Unpriced lines get this price. Priced lines don’t change.`
      }
      environment={Environment.PRODUCTION}
      command={`sss prices set ${accountId} --billing-model ${enumFlag(BillingModelSchema, billingModel)} --pence ${pence}${from ? ` --effective-from ${from}T00:00:00Z` : ''}`}
      isReady={isReady}
      onOpen={() => {
        setModel(BillingModel.UNSPECIFIED);
        setPounds('');
        setFrom('');
      }}
      run={(idempotencyKey) =>
        billing.setPrice({
          idempotencyKey,
          accountId,
          billingModel,
          ...(pence === undefined ? {} : { pence }),
          ...(from ? { effectiveFrom: startOfDay(from) } : {}),
        })
      }
      renderResult={({ linesPriced }) => priceSet(from, linesPriced)}
    >
      <EnumField
        label="Billing model"
        path="billing_model"
        schema={BillingModelSchema}
        value={billingModel}
        onChange={setModel}
      />
      <TextField
        label="Price per submission, in pounds"
        description="For example 45 or 45.50."
        path="pence"
        isRequired
        inputMode="decimal"
        value={pounds}
        maxLength={8}
        error={
          pounds === '' || pence !== undefined
            ? undefined
            : 'Enter an amount up to 10,000 with at most two decimals, such as 45 or 45.50.'
        }
        onChange={setPounds}
      />
      <TextField
        label="From (UTC)"
        description="Leave empty to start now."
        path="effective_from"
        type="date"
        value={from}
        onChange={setFrom}
      />
    </ConfirmDialog>
  );
}
