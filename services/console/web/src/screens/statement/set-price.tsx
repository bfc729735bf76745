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
import { STATEMENT } from './statement-texts.ts';

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
      name={STATEMENT.setPrice}
      description={
        isReady
          ? STATEMENT.setPriceEffect(
              name,
              enumLabel(BillingModelSchema, billingModel),
              formatPounds(pence),
              from ? formatDay(from) : STATEMENT.now,
            )
          : STATEMENT.setPriceHelp(name)
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
        label={STATEMENT.model}
        path="billing_model"
        schema={BillingModelSchema}
        value={billingModel}
        onChange={setModel}
      />
      <TextField
        label={STATEMENT.pounds}
        description={STATEMENT.poundsHelp}
        path="pence"
        isRequired
        inputMode="decimal"
        value={pounds}
        maxLength={8}
        error={pounds === '' || pence !== undefined ? undefined : STATEMENT.poundsFault}
        onChange={setPounds}
      />
      <TextField
        label={STATEMENT.fromDay}
        description={STATEMENT.fromDayHelp}
        path="effective_from"
        type="date"
        value={from}
        onChange={setFrom}
      />
    </ConfirmDialog>
  );
}
