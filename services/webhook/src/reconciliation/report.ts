import { formatTimestamp } from '@supplier/lib/time';
import { EVENT_STATES } from '../domain/event.ts';
import type { Span } from '../domain/reconciliation.ts';
import { FAULTS } from '../domain/reconciliation.ts';
import type { Exception, Reconciliation } from './reconcile-changes.ts';

/** What was found, for people: one line for each exception and one that sums up. */
export function reportLines(found: Reconciliation, span: Span): string {
  const states = EVENT_STATES.map((state) => `${found.states[state]} ${state}`).join(', ');
  return [
    ...found.exceptions.map(lineOf),
    ...(found.omitted > 0 ? [`and ${found.omitted} more`] : []),
    `${found.checked} changes recorded from ${formatTimestamp(span.since)} until ${formatTimestamp(span.until)}: ` +
      `${states}; ${found.exceptions.length + found.omitted} exceptions`,
    '',
  ].join('\n');
}

function lineOf({ fault, change }: Exception): string {
  const { eventId, submissionId, accountId, environment, occurredAt } = change;
  return (
    `${fault} event=${eventId} submission=${submissionId} account=${accountId} environment=${environment} ` +
    `occurred_at=${formatTimestamp(occurredAt)}: ${FAULTS[fault]}`
  );
}

/** The same for programs: one JSON object. */
export function reportJson(found: Reconciliation, { since, until }: Span): string {
  const report = {
    recorded_since: formatTimestamp(since),
    recorded_until: formatTimestamp(until),
    changes_checked: found.checked,
    states: found.states,
    exceptions: found.exceptions.map(({ fault, change }) => ({
      fault,
      event_id: change.eventId,
      submission_id: change.submissionId,
      account_id: change.accountId,
      environment: change.environment,
      occurred_at: formatTimestamp(change.occurredAt),
    })),
    exceptions_omitted: found.omitted,
  };
  return `${JSON.stringify(report)}\n`;
}
