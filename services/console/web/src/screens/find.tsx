import { AuditService } from '@supplier/proto/audit/v1/audit';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { errorMessage, mayCall } from '../calls.ts';
import { PageHeader } from '../components/page-header.tsx';
import { UUID } from '../format.ts';
import { SearchByReference } from '../parts/search-by-reference.tsx';
import { useSession } from '../session.ts';
import { findByApplication, findById } from '../shell/find-submission.ts';
import { AUDITED } from './audit-search.ts';

const route = getRouteApi('/find');

/** Opens the submission, Application or request that the search text names, or suggests other ways to find it. */
export function FindScreen() {
  const { what } = route.useSearch();
  const { roles } = useSession();
  const isId = UUID.test(what);
  const mayLook = mayCall(roles, SubmissionService.method.getSubmission);
  const mayList = mayCall(roles, SubmissionService.method.listSubmissions);
  const { data, error, isPending } = useQuery({
    queryKey: ['find', what],
    enabled: what !== '' && (isId ? mayLook : mayList),
    refetchInterval: false,
    queryFn: ({ signal }) => (isId ? findById(what, mayList, signal) : findByApplication(what, signal)),
  });
  if (isId && !mayLook) return <ToSubmission submissionId={what} />;
  if (data?.submissionId !== undefined) return <ToSubmission submissionId={data.submissionId} />;
  if (data?.isSeveral)
    return <Navigate to="/submissions" search={{ request: what, environment: 0 }} replace />;
  return (
    <>
      <PageHeader title="Search" />
      {error ? <p role="alert">Search failed: {errorMessage(error)}</p> : null}
      {!isId && !mayList ? <p role="alert">Your role can search by submission ID only.</p> : null}
      {isPending && what !== '' && (isId || mayList) ? <p>Searching…</p> : null}
      {data && isId ? <NothingOfId id={what} mayList={mayList} /> : null}
      {data && !isId ? (
        <>
          <p role="alert">No submission or Application matches “{what}”.</p>
          <p>
            Is it an <code>X-Request-Id</code>? If it isn’t a UUID, search the gateway’s log for it, and then
            search here for the <code>inner_request_id</code> beside it.
          </p>
          <SearchByReference reference={what} />
        </>
      ) : null}
    </>
  );
}

const ToSubmission = ({ submissionId }: { readonly submissionId: string }) => (
  <Navigate to="/submissions/$submissionId" params={{ submissionId }} replace />
);

function NothingOfId({ id, mayList }: { readonly id: string; readonly mayList: boolean }) {
  const { roles } = useSession();
  return (
    <>
      <p role="alert">
        No submission has the ID {id}
        {mayList ? ', and no request with that ID created one that still exists' : ''}.
      </p>
      {mayCall(roles, AuditService.method.listAudit) ? (
        <p>
          What the request did, in the audit log:{' '}
          {AUDITED.map((service) => (
            <span key={service}>
              <Link to="/audit" search={{ service, request: id.toLowerCase() }}>
                {service}
              </Link>{' '}
            </span>
          ))}
        </p>
      ) : null}
    </>
  );
}
