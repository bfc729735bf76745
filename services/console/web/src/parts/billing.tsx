import { EntryKindSchema } from '@supplier/proto/billing/v1/billing';
import {
  BillingModelSchema,
  NotBillableReason,
  NotBillableReasonSchema,
} from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { billing } from '../calls.ts';
import { everyMs } from '../queries.ts';
import { poundsOf, timeOf, wordOf } from '../words.ts';
import { BillingMark } from './marks.tsx';
import { Part } from './part.tsx';

/** Explains why a lead is not charged. */
const REASONS = {
  [NotBillableReason.UNSPECIFIED]: '',
  [NotBillableReason.DUPLICATE]: 'Its customer had been accepted before.',
  [NotBillableReason.REJECTED]: 'It was rejected.',
  [NotBillableReason.SANDBOX]: 'Nothing of the sandbox is charged.',
  [NotBillableReason.RETURNED]: 'It was returned to the supplier.',
} as const satisfies Record<NotBillableReason, string>;

/** Shows whether a lead is charged, the reason if not, and its ledger lines. */
export function BillingPart({
  submissionId,
  lookMs,
}: {
  readonly submissionId: string;
  readonly lookMs: number;
}) {
  const query = useQuery({
    queryKey: ['lead', submissionId],
    refetchInterval: everyMs(lookMs),
    queryFn: ({ signal }) => billing.getLead({ submissionId }, { signal }),
  });
  return (
    <Part title="Billing" query={query} nothing="There is no such submission.">
      {({ billing: state, entries }) => (
        <>
          <p>
            <BillingMark status={state?.billingStatus ?? 0} /> {REASONS[state?.notBillableReason ?? 0]}
            {state?.notBillableReason ? ` (${wordOf(NotBillableReasonSchema, state.notBillableReason)})` : ''}{' '}
            Charged by {wordOf(BillingModelSchema, state?.billingModel ?? 0)}
            {state?.billableAt ? `, billable since ${timeOf(state.billableAt)}` : ''}.
          </p>
          {entries.length === 0 ? null : (
            <ul>
              {entries.map((entry) => (
                <li key={entry.entryId}>
                  {timeOf(entry.occurredAt)} {wordOf(EntryKindSchema, entry.kind)} of{' '}
                  {entry.pence === undefined ? 'no price yet' : poundsOf(entry.pence)}, on the statement of{' '}
                  {entry.statementMonth}
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Part>
  );
}
