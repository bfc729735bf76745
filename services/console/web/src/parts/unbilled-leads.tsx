import { BillingStatus, type Environment, Status } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { submissions } from '../calls.ts';
import { ageSince } from '../words.ts';
import { Part } from './part.tsx';
import { SubmissionsLink } from './submissions-link.tsx';

/** Decided leads that are not billed, with links to the reasons. */
export function UnbilledLeadsPart({ environment }: { readonly environment: Environment }) {
  const query = useQuery({
    queryKey: ['pending-leads', environment],
    queryFn: ({ signal }) => submissions.listPendingLeads({ environment, pageSize: 1 }, { signal }),
  });
  return (
    <Part title="Decided" query={query}>
      {({ count, countIsAtLeast, oldestReceivedAt }) => (
        <ul>
          <li>
            <SubmissionsLink
              search={{ environment, billing: BillingStatus.PENDING, status: Status.ACCEPTED }}
            >
              Accepted, and billing is pending
            </SubmissionsLink>
            : {countIsAtLeast ? 'at least ' : ''}
            {count ?? 0}
            {oldestReceivedAt ? `, the oldest for ${ageSince(oldestReceivedAt, Date.now())}` : ''}
          </li>
          <li>
            <SubmissionsLink search={{ environment, billing: BillingStatus.NOT_BILLABLE }}>
              Not billed, and why
            </SubmissionsLink>
          </li>
        </ul>
      )}
    </Part>
  );
}
