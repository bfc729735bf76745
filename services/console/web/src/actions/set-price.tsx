import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { NativeSelect, TextInput } from '@mantine/core';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { BillingModel, BillingModelSchema, Environment } from '@supplier/proto/common/v1/status';
import { useState } from 'react';
import { billing, mayCall } from '../calls.ts';
import { enumFlag, enumName, formatPounds } from '../format.ts';
import { useSession } from '../session.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

const POUNDS = /^(\d{1,5})(?:\.(\d\d))?$/;

/** Sets the price of an account's leads from a day on. */
export function SetPriceAction({ accountId, name }: { readonly accountId: string; readonly name: string }) {
  const { roles } = useSession();
  const [billingModel, setModel] = useState<BillingModel>(BillingModel.UNSPECIFIED);
  const [pounds, setPounds] = useState('');
  const [from, setFrom] = useState('');
  if (!mayCall(roles, BillingService.method.setPrice)) return null;
  const pence = penceOf(pounds);
  const day = from === '' ? undefined : `${from}T00:00:00Z`;
  return (
    <ConfirmDialog
      name="Set a price"
      description={
        pence === undefined
          ? `Sets the price of a submission of ${name} from a date. Lines without a price get it. Priced lines keep theirs.`
          : `Each submission of ${name} billed by ${enumName(BillingModelSchema, billingModel)} costs ${formatPounds(pence)} from ${from || 'now'} on. Lines without a price get it. Priced lines keep theirs.`
      }
      environment={Environment.PRODUCTION}
      command={`sss prices set ${accountId} --billing-model ${enumFlag(BillingModelSchema, billingModel)} --pence ${pence}${day ? ` --effective-from ${day}` : ''}`}
      isReady={billingModel !== BillingModel.UNSPECIFIED && pence !== undefined}
      onOpen={() => {
        setPounds('');
        setFrom('');
      }}
      run={(idempotencyKey) =>
        billing.setPrice({
          idempotencyKey,
          accountId,
          billingModel,
          ...(pence === undefined ? {} : { pence }),
          ...(day ? { effectiveFrom: timestampFromDate(new Date(day)) } : {}),
        })
      }
      renderResult={({ linesPriced }) => `Price set. Lines priced with it: ${linesPriced}.`}
    >
      <NativeSelect
        label="Billed by"
        id="price-model"
        value={billingModel}
        onChange={(event) => setModel(Number(event.target.value))}
        data={BillingModelSchema.values.map(({ number }) => ({
          value: String(number),
          label: number === 0 ? 'Choose…' : enumName(BillingModelSchema, number),
        }))}
      />
      <TextInput
        label="Price per submission, in pounds"
        description="For example 45 or 45.50."
        id="price-pounds"
        inputMode="decimal"
        value={pounds}
        maxLength={8}
        onChange={(event) => setPounds(event.currentTarget.value)}
      />
      <TextInput
        label="From (UTC)"
        description="Empty: from now on."
        id="price-from"
        type="date"
        value={from}
        onChange={(event) => setFrom(event.target.value)}
      />
    </ConfirmDialog>
  );
}

/** Parses an amount in pounds into whole pence. Returns undefined for invalid input. */
function penceOf(pounds: string): number | undefined {
  const [, whole, pence = '00'] = POUNDS.exec(pounds.trim()) ?? [];
  return whole === undefined ? undefined : Number(whole) * 100 + Number(pence);
}
