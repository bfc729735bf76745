import { formatTimestamp } from '@supplier/lib/time';
import { FAULTS, type Span } from '../domain/reconciliation.ts';
import type { Difference, Reconciliation } from './reconcile-ledger.ts';

/** What was found, for people: one line for each difference, one for each account, and one that sums up. */
export function reportLines(found: Reconciliation, { since, until }: Span): string {
  const count = found.differences.length + found.omitted;
  return [
    ...found.differences.map(lineOf),
    ...(found.omitted > 0 ? [`and ${found.omitted} more`] : []),
    ...[...found.totals].map(
      ([account, { shownBillable, charged }]) =>
        `account=${account} shown_billable=${shownBillable} charged=${charged}`,
    ),
    `${found.checked} submissions changed from ${formatTimestamp(since)} until ${formatTimestamp(until)}: ` +
      `${count} differences`,
    '',
  ].join('\n');
}

function lineOf({ fault, shown }: Difference): string {
  return `${fault} submission=${shown.submissionId} account=${shown.accountId}: ${FAULTS[fault]}`;
}

/** The same for programs: one JSON object. */
export function reportJson(found: Reconciliation, { since, until }: Span): string {
  const report = {
    changed_since: formatTimestamp(since),
    changed_until: formatTimestamp(until),
    submissions_checked: found.checked,
    accounts: [...found.totals].map(([account_id, { shownBillable, charged }]) => ({
      account_id,
      shown_billable: shownBillable,
      charged,
    })),
    differences: found.differences.map(({ fault, shown }) => ({
      fault,
      submission_id: shown.submissionId,
      account_id: shown.accountId,
    })),
    differences_omitted: found.omitted,
  };
  return `${JSON.stringify(report)}\n`;
}
