import { visible } from '@supplier/lib/text/visible';
import { ApprovalState } from '@supplier/proto/approval/v1/approval';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { approvals } from '../calls.ts';
import type { ApprovingService } from '../screens/approvals-search.ts';
import { timeOf } from '../words.ts';
import { Part } from './part.tsx';

const FEW = 10;

/** Pending approvals. */
export const WaitingApprovals = () => (
  <>
    <WaitingAt service="account" />
    <WaitingAt service="submission" />
  </>
);

function WaitingAt({ service }: { readonly service: ApprovingService }) {
  const query = useQuery({
    queryKey: ['waiting-approvals', service],
    queryFn: ({ signal }) =>
      approvals[service].listApprovals({ state: ApprovalState.WAITING, pageSize: FEW }, { signal }),
  });
  return (
    <Part title={`Approvals that wait at the ${service} service`} query={query}>
      {({ approvals: waiting, nextPageToken }) => (
        <>
          {waiting.length === 0 ? <p>None.</p> : null}
          <ul>
            {waiting.map(({ approvalId, action, requestedBy, expiresAt }) => (
              <li key={approvalId}>
                <Link to="/approvals" search={{ service, approval: approvalId }}>
                  {visible(action)}
                </Link>
                , asked by {visible(requestedBy)}, until {timeOf(expiresAt)}
              </li>
            ))}
          </ul>
          {nextPageToken === '' ? null : (
            <p>
              <Link to="/approvals">There are more.</Link>
            </p>
          )}
        </>
      )}
    </Part>
  );
}
