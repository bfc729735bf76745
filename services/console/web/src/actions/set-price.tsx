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
          ? `What a lead of ${name} costs from a day on. Lines without a price get it; lines that have one keep theirs.`
          : `Each lead of ${name} that is billed by ${enumName(BillingModelSchema, billingModel)} costs ${formatPounds(pence)} from ${from || 'now'} on. Lines without a price get it; lines that have one keep theirs.`
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
      renderResult={({ linesPriced }) =>
        `It is set. Lines that had no price and have this one now: ${linesPriced}.`
      }
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
        label="Pounds for each lead"
        description="Such as 45 or 45.50."
        id="price-pounds"
        inputMode="decimal"
        value={pounds}
        maxLength={8}
        onChange={(event) => setPounds(event.currentTarget.value)}
      />
      <TextInput
        label="From the beginning of (UTC)"
        description="From now on without a day."
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
