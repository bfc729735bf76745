import { visible } from '@supplier/lib/text/visible';
import {
  FindingKind,
  FindingKindSchema,
  RepairOutcome,
  RepairOutcomeSchema,
} from '@supplier/proto/reconciliation/v1/reconciliation';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { type Column, DataTable } from '../components/data-table.tsx';
import { enumName, UUID, withNoun } from '../format.ts';
import { RECONCILED } from '../reconcile.ts';
import type { Found, Progress, Seen } from './reconciliation.ts';

/** The progress of each service, and the findings of all of them, differences first. */
export function Findings({ seen }: { readonly seen: Seen }) {
  const { services, differences, backlogs, isUnderWay, isCut } = seen;
  const rows = useMemo(() => [...differences, ...backlogs], [differences, backlogs]);
  return (
    <>
      <dl className="facts" aria-label="Progress by service">
        {RECONCILED.map((service) => (
          <div key={service}>
            <dt>{service}</dt>
            <dd>
              <Standing progress={services[service]} />
            </dd>
          </div>
        ))}
      </dl>
      <p role="status">{summaryOf(seen)}</p>
      <DataTable
        label="Differences"
        columns={COLUMNS}
        list={{ ...WHOLE, rows, isFetching: isUnderWay }}
        keyOf={({ place }) => String(place)}
        empty="No differences."
        limitReached=""
      />
      {isCut ? (
        <p>Only the first 2,000 differences of a service are shown. Compare a shorter period.</p>
      ) : null}
    </>
  );
}

/** The list is complete, so there is nothing to load. */
const WHOLE = {
  error: null,
  isFetchingMore: false,
  hasMore: false,
  needsClick: false,
  loadMore: () => {},
  refresh: () => {},
};

function Standing({ progress: { compared, ending } }: { readonly progress: Progress }) {
  const count = `${compared.toLocaleString('en-GB')} compared`;
  if (ending === undefined) return `${count}, running`;
  if (typeof ending === 'string') return `${count}, ${ending}`;
  return (
    <>
      {count}, then failed: <span role="alert">{ending.refusal}</span>
    </>
  );
}

function summaryOf({ comparison, services, isUnderWay }: Seen): string {
  const all = Object.values(services);
  const done = all.filter(({ ending }) => ending === 'done').length;
  if (isUnderWay) return `Under way: ${done} of ${all.length} services have compared all.`;
  const differences = all.reduce((sum, one) => sum + one.differences, 0);
  const left = all.reduce((sum, one) => sum + one.left, 0);
  const outcome = comparison.repair ? `, ${left} of them not put right` : '';
  const missing = done < all.length ? ' Not everything was compared.' : '';
  return `${withNoun(differences, 'difference')}${outcome}.${missing}`;
}

/** The target of a finding. Differences reported by billing and webhook are about submissions. */
function Target({ service, finding: { kind, target } }: Found) {
  const isSubmission =
    kind === FindingKind.DIFFERENCE && (service === 'billing' || service === 'webhook') && UUID.test(target);
  if (!isSubmission) return visible(target);
  return (
    <Link to="/submissions/$submissionId" params={{ submissionId: target }}>
      {target}
    </Link>
  );
}

const COLUMNS: readonly Column<Found>[] = [
  {
    name: 'target',
    cell: (found) => <Target {...found} />,
    order: ({ finding }) => finding.target,
  },
  { name: 'service', cell: ({ service }) => service, order: ({ service }) => service },
  {
    name: 'kind',
    cell: ({ finding }) => enumName(FindingKindSchema, finding.kind),
    order: ({ finding }) => finding.kind,
  },
  { name: 'what', cell: ({ finding }) => visible(finding.what), order: ({ finding }) => finding.what },
  {
    name: 'count',
    cell: ({ finding }) => (finding.kind === FindingKind.BACKLOG ? String(finding.count) : ''),
    order: ({ finding }) => finding.count,
  },
  {
    name: 'repair',
    cell: ({ finding }) =>
      finding.repair === RepairOutcome.UNSPECIFIED ? '' : enumName(RepairOutcomeSchema, finding.repair),
    order: ({ finding }) => finding.repair,
  },
  { name: 'explanation', cell: ({ finding }) => visible(finding.explanation) },
  {
    name: 'account',
    cell: ({ finding: { accountId } }) =>
      accountId === '' ? (
        ''
      ) : (
        <Link to="/suppliers/$accountId" params={{ accountId }}>
          {accountId}
        </Link>
      ),
    order: ({ finding }) => finding.accountId,
  },
];
