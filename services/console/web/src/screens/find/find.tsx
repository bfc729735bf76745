import { Alert, Group, Skeleton, Stack, Text } from '@mantine/core';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Navigate } from '@tanstack/react-router';
import { errorMessage, mayCall } from '../../calls.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { UUID } from '../../format.ts';
import { useSession } from '../../session.ts';
import { findById, findByText } from '../../shell/find-submission.ts';
import { FIND } from './find-texts.ts';

const route = getRouteApi('/find');

/** Opens the submission, Application or request that the search text names, or suggests other ways to find it. */
export function FindScreen() {
  const { what = '' } = route.useSearch();
  const { roles } = useSession();
  const isId = UUID.test(what);
  const mayRead = mayCall(roles, SubmissionService.method.getSubmission);
  const mayList = mayCall(roles, SubmissionService.method.listSubmissions);
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
      <PageHeader title={FIND.title} />
      <Stack gap="md">
        {error ? <Alert color="red">{FIND.failed(errorMessage(error))}</Alert> : null}
        {what === '' ? <Text c="dimmed">{FIND.help}</Text> : null}
        {!isId && !mayList ? <Alert color="yellow">{FIND.idOnly}</Alert> : null}
        {isLoading ? <Skeleton height={40} aria-busy="true" aria-label={FIND.searching} /> : null}
        {data && isId ? <NoMatchForId id={what} mayList={mayList} /> : null}
        {data && !isId ? (
          <Alert color="yellow" title={FIND.noMatch(what)}>
            {FIND.hints}
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
  const { roles } = useSession();
  return (
    <Alert color="yellow" title={mayList ? FIND.noIdNorRequest(id) : FIND.noId(id)}>
      {mayCall(roles, AuditService.method.listAudit) ? (
        <Group gap="xs">
          <Text size="sm">{FIND.inAuditLog}</Text>
          <Link to="/audit" search={{ request: id.toLowerCase() }}>
            {FIND.auditLog}
          </Link>
        </Group>
      ) : null}
    </Alert>
  );
}
