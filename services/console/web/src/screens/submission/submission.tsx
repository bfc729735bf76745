import { Grid, Group, Stack, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { Status } from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { queryOf, useMay } from '../../calls.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { LoadState, Panel, PanelBody } from '../../components/panel.tsx';
import { BillingBadge, EnvironmentBadge, StatusBadge } from '../../components/status-badge.tsx';
import { useEnvironmentOf } from '../../environment.ts';
import { everyMs } from '../../queries.ts';
import { DeliveriesTable } from '../webhooks/deliveries-table.tsx';
import { ApplicantPanel } from './applicant.tsx';
import { BillingPanel } from './billing.tsx';
import { DocumentsPanel } from './documents.tsx';
import { SubmissionActions } from './submission-actions.tsx';
import { SummaryPanel } from './summary.tsx';
import { TimelinePanel } from './timeline.tsx';
import { useSubmission } from './use-submission.ts';

const route = getRouteApi('/submissions/$submissionId');
const PARENT = { name: 'Submissions', to: '/submissions' } as const;

/** One submission with its history, its applicant's details after a purpose is stated, and the available actions. */
export function SubmissionScreen() {
  const { submissionId } = route.useParams();
  return <Submission key={submissionId} submissionId={submissionId} />;
}

function Submission({ submissionId }: { readonly submissionId: string }) {
  const may = useMay();
  const { state, timeline, refetchMs } = useSubmission(submissionId);
  const submission = state.data;
  useEnvironmentOf(submission?.environment);
  const { readEnquiry, getTimeline, listSubmissions } = SubmissionService.method;
  const billed = may(BillingService.method.getSubmissionLedger) ? (
    <BillingPanel submissionId={submissionId} refetchMs={refetchMs} />
  ) : null;
  const seesEvents = may(WebhookService.method.listEvents);
  return (
    <>
      <PageHeader
        {...(may(listSubmissions) ? { parent: PARENT } : {})}
        title={
          <Text inherit span ff="monospace">
            {visible(submission?.externalReference ?? 'Submission')}
          </Text>
        }
        actions={
          submission ? <SubmissionActions submission={submission} timeline={timeline.query.data} /> : null
        }
      >
        {submission ? (
          <Group gap={6}>
            <StatusBadge status={submission.status} />
            <BillingBadge
              status={submission.billing?.billingStatus ?? 0}
              reason={submission.billing?.notBillableReason}
            />
            <EnvironmentBadge environment={submission.environment} />
          </Group>
        ) : null}
      </PageHeader>
      <LoadState query={state} notFound="There is no such submission." />
      <Grid gap="md">
        <Grid.Col span={{ base: 12, lg: 8 }}>
          <Stack gap="md">
            {may(getTimeline) ? <TimelinePanel timeline={timeline} /> : null}
            {seesEvents ? (
              <DeliveriesPanel
                submissionId={submissionId}
                isUndecided={submission?.status === Status.RECEIVED}
                refetchMs={refetchMs}
              />
            ) : null}
            {may(DocumentService.method.listDocuments) ? (
              <DocumentsPanel submissionId={submissionId} />
            ) : null}
            {seesEvents ? null : billed}
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, lg: 4 }}>
          <Stack gap="md">
            {submission ? <SummaryPanel submission={submission} timeline={timeline.query.data} /> : null}
            {may(readEnquiry) ? (
              <ApplicantPanel
                submissionId={submissionId}
                hasApplication={submission?.applicationReference !== undefined}
              />
            ) : null}
            {seesEvents ? billed : null}
            {may(AuditService.method.listAudit) ? (
              <Link to="/audit" search={{ target: submissionId }}>
                View in audit log
              </Link>
            ) : null}
          </Stack>
        </Grid.Col>
      </Grid>
    </>
  );
}

interface DeliveriesProps {
  readonly submissionId: string;
  readonly isUndecided: boolean;
  readonly refetchMs: number;
}

/** The webhook events of a submission, and each delivery attempt with its phases. */
function DeliveriesPanel({ submissionId, isUndecided, refetchMs }: DeliveriesProps) {
  const none = isUndecided ? 'No webhook events are sent before the decision.' : 'No webhook events.';
  const query = useQuery({
    ...queryOf(WebhookService.method.listEvents, { submissionId }),
    refetchInterval: everyMs(refetchMs),
  });
  return (
    <Panel title="Webhook deliveries" query={query} empty={none} isFlush>
      {({ events }) =>
        events.length === 0 ? (
          <PanelBody>{none}</PanelBody>
        ) : (
          <DeliveriesTable label="Webhook deliveries" events={events} />
        )
      }
    </Panel>
  );
}
