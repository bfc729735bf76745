import { Code, ConnectError } from '@connectrpc/connect';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { codeOf, mayCall, sentenceOf, submissions } from '../calls.ts';
import { ByReference } from '../parts/by-reference.tsx';
import { useSession } from '../session.ts';
import { UUID } from '../words.ts';
import { AUDITED } from './audit-search.ts';

export interface FindSearch {
  readonly what: string;
}
export const findSearch = ({ what }: Record<string, unknown>): FindSearch => ({
  what: typeof what === 'string' ? what.slice(0, 128) : '',
});

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
    queryFn: ({ signal }) => (isId ? byId(what, mayList, signal) : byApplication(what, signal)),
  });
  if (isId && !mayLook) return <ToSubmission submissionId={what} />;
  if (data?.submissionId !== undefined) return <ToSubmission submissionId={data.submissionId} />;
  if (data?.isSeveral) return <Navigate to="/submissions" search={{ request: what }} replace />;
  return (
    <>
      <h1>Find</h1>
      {error ? <p role="alert">This cannot be looked for: {sentenceOf(error)}</p> : null}
      {!isId && !mayList ? (
        <p role="alert">In your role a submission is looked for by its id alone.</p>
      ) : null}
      {isPending && what !== '' && (isId || mayList) ? <p>Looking for it …</p> : null}
      {data && isId ? <NothingOfId id={what} mayList={mayList} /> : null}
      {data && !isId ? (
        <>
          <p role="alert">No submission and no Application is called “{what}”.</p>
          <p>
            Is it the X-Request-Id of an answer? One that is no UUID stands in the gateway’s log alone; the
            UUID beside it finds it here.
          </p>
          <ByReference reference={what} />
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
        No submission has the id {id}
        {mayList ? ', and no request of that id has made one that was not erased since' : ''}.
      </p>
      {mayCall(roles, AuditService.method.listAudit) ? (
        <p>
          What a request of that id did, in the audit log:{' '}
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

interface Found {
  readonly submissionId: string | undefined;
  readonly isSeveral: boolean;
}

/**
 * Searches by submission id first: suppliers choose request ids, and could choose that of a submission. Submissions
 * made by a request are searched only for people who may list submissions.
 */
async function byId(id: string, mayList: boolean, signal: AbortSignal): Promise<Found> {
  try {
    const { submissionId } = await submissions.getSubmission({ submissionId: id }, { signal });
    return { submissionId, isSeveral: false };
  } catch (error) {
    // A string in the form of a UUID but without a valid version can only be a request id.
    if (codeOf(error) !== Code.NotFound && codeOf(error) !== Code.InvalidArgument) throw error;
  }
  if (!mayList) return { submissionId: undefined, isSeveral: false };
  const { submissions: found } = await submissions.listSubmissions(
    { requestId: id, pageSize: 2 },
    { signal },
  );
  const made = found.filter(({ requestId }) => requestId.toLowerCase() === id.toLowerCase());
  // The previous release of the service ignores this filter and returns the newest of all submissions.
  if (made.length < found.length)
    throw new ConnectError(
      'The submission service is of a release that does not find by a request. Try again once it is replaced.',
      Code.Unimplemented,
    );
  return theOne(made);
}

const byApplication = async (applicationReference: string, signal: AbortSignal): Promise<Found> =>
  theOne((await submissions.listSubmissions({ applicationReference, pageSize: 2 }, { signal })).submissions);

const theOne = (found: readonly { readonly submissionId: string }[]): Found => ({
  submissionId: found.length === 1 ? found[0]?.submissionId : undefined,
  isSeveral: found.length > 1,
});
