import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { errorMessage, useMay } from '../../calls.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { UUID } from '../../format.ts';
import { findById, findByText } from '../../shell/find-submission.ts';

const route = getRouteApi('/find');

/** Opens the submission, Application or request that the search text names, or suggests other ways to find it. */
export function FindScreen() {
  const { what = '' } = route.useSearch();
  const may = useMay();
  const isId = UUID.test(what);
  const mayRead = may(SubmissionService.method.getSubmission);
  const mayList = may(SubmissionService.method.listSubmissions);
  const { data, error, isLoading } = useQuery({
    queryKey: ['find', what],
    enabled: what !== '' && (isId ? mayRead : mayList),
    refetchInterval: false,
    queryFn: ({ signal }) => (isId ? findById(what, mayList, signal) : findByText(what, signal)),
  });
  if (isId && !mayRead) return <ToSubmission submissionId={what} />;
  if (data?.submissionId !== undefined) return <ToSubmission submissionId={data.submissionId} />;
  if (data?.list) return <Navigate to="/submissions" search={{ ...data.list, both: 'yes' }} replace />;
  return (
    <>
      <PageHeader title="Search" />
      <Stack gap="md">
        {error ? <Alert color="red">{`Search failed: ${errorMessage(error)}`}</Alert> : null}
        {what === '' ? (
          <Text c="dimmed">Press / to search by reference, submission ID, Application or request ID.</Text>
        ) : null}
        {!isId && !mayList ? <Alert color="yellow">Your role can search by submission ID only.</Alert> : null}
        {isLoading ? <Skeleton height={40} aria-busy="true" aria-label="Searching…" /> : null}
        {data && isId ? <NoMatchForId id={what} mayList={mayList} /> : null}
        {data && !isId ? (
          <Alert color="yellow" title={`No reference or Application matches “${what}”.`}>
            Enter the start of a reference in the same case, a complete Application, or a complete ID. Request
            IDs can be searched only if they are UUIDs.
          </Alert>
        ) : null}
      </Stack>
    </>
  );
}

const ToSubmission = ({ submissionId }: { readonly submissionId: string }) => (
  <Navigate to="/submissions/$submissionId" params={{ submissionId }} replace />
);

function NoMatchForId({ id, mayList }: { readonly id: string; readonly mayList: boolean }) {
  const may = useMay();
  return (
    <Alert
      color="yellow"
      title={
        mayList
          ? `No submission has the ID or reference ${id}, and no request with that ID created one that still exists.`
          : `No submission has the ID ${id}.`
      }
    >
      {may(AuditService.method.listAudit) ? (
        <Group gap="xs">
          <Text size="sm">See what the request did:</Text>
          <Link to="/audit" search={{ request: id.toLowerCase() }}>
            View in audit log
          </Link>
        </Group>
      ) : null}
    </Alert>
  );
}
