import { Badge, Box, Group, Stack, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { BillingStatus, type Environment, Status } from '@supplier/proto/common/v1/status';
import { DocumentCategorySchema, DocumentService, WaitingFor } from '@supplier/proto/document/v1/document';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { queryOf, useMay } from '../../calls.ts';
import { LoadError } from '../../components/load-error.tsx';
import { LoadingLines, PanelFrame } from '../../components/panel.tsx';
import { SubmissionsLink } from '../../components/submissions-link.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { enumLabel, formatAge, formatAgeSince, withNoun } from '../../format.ts';
import { useErasuresInProgress, useFailingEndpoints, usePendingApprovals } from '../../shell/attention.ts';
import { actionName } from '../approvals/approval-badge.tsx';
import { FailingDetail } from '../webhooks/failing-detail.tsx';
import { type Queues, queueOf } from './overview-queries.ts';

const FEW = 10;

interface SourceProps {
  readonly environment: Environment;
  readonly queues: Queues;
}

/** What may need attention, most urgent first. Each source is rendered for people who may make its call. */
const SOURCES = [
  { call: WebhookService.method.listEndpoints, Source: FailingEndpoints },
  { call: ApprovalService.method.listApprovals, Source: PendingApprovals },
  { call: SubmissionService.method.getQueues, Source: ParkedWork },
  { call: DocumentService.method.listWaitingDocuments, Source: UnscannedDocuments },
  { call: PrivacyService.method.listErasures, Source: Erasures },
  { call: SubmissionService.method.listPendingBilling, Source: PendingBilling },
] as const;

/** Problems and pending work, each with a link to where it is dealt with. */
export function NeedsAttention(props: SourceProps) {
  const may = useMay();
  return (
    <PanelFrame title="Needs attention" isFlush>
      <Stack component="ul" className="attention" gap={0} m={0} p={0}>
        {SOURCES.filter(({ call }) => may(call)).map(({ call, Source }) => (
          <Source key={call.name} {...props} />
        ))}
        <Text component="li" inherit px="md" py={14}>
          Nothing needs attention.
        </Text>
      </Stack>
    </PanelFrame>
  );
}

interface ItemProps {
  readonly badge: string;
  readonly color: 'red' | 'amber' | 'blue' | 'gray';
  readonly detail: ReactNode;
  readonly children: ReactNode;
}

const Item = ({ badge, color, detail, children }: ItemProps) => (
  <Group component="li" px="md" py="xs" gap="xs" wrap="nowrap" align="start">
    <Box w={96}>
      <Badge color={color}>{badge}</Badge>
    </Box>
    <Box flex={1} miw={0}>
      {children}
      <Text size="xs" c="dimmed" component="div">
        {detail}
      </Text>
    </Box>
  </Group>
);

interface ItemsProps<Answer> {
  readonly query: Pick<UseQueryResult<Answer>, 'data' | 'error' | 'isPending'>;
  readonly children: (answer: Answer) => ReactNode;
}

function Items<Answer>({ query: { data, error, isPending }, children }: ItemsProps<Answer>) {
  return (
    <>
      {error ? (
        <Box component="li" px="md">
          <LoadError error={error} isStale={data !== undefined} />
        </Box>
      ) : null}
      {isPending ? (
        <li aria-busy="true">
          <LoadingLines />
        </li>
      ) : null}
      {data === undefined ? null : children(data)}
    </>
  );
}

function FailingEndpoints() {
  return (
    <Items query={useFailingEndpoints()}>
      {({ endpoints }) =>
        endpoints.slice(0, FEW).map((listed) =>
          listed.endpoint ? (
            <Item
              key={listed.endpoint.endpointId}
              badge="Failing"
              color="red"
              detail={<FailingDetail listed={listed} />}
            >
              <SupplierName accountId={listed.endpoint.accountId} tab="webhooks" />
            </Item>
          ) : null,
        )
      }
    </Items>
  );
}

function PendingApprovals() {
  return (
    <Items query={usePendingApprovals()}>
      {(pending) =>
        pending.map(({ service, approval }) => (
          <Item
            key={approval.approvalId}
            badge="Approval"
            color="blue"
            detail={`Requested ${formatAgeSince(approval.requestedAt, Date.now())} ago by ${visible(approval.requestedBy)}`}
          >
            <Link to="/approvals" search={{ service, approval: approval.approvalId }}>
              {actionName(approval)}
            </Link>
          </Item>
        ))
      }
    </Items>
  );
}

function ParkedWork({ queues }: SourceProps) {
  return (
    <Items query={queues.query}>
      {(answer) => {
        const parked = queueOf(answer, Queue.PARKED);
        return parked && parked.count > 0n ? (
          <Item badge="Parked" color="red" detail={`Oldest ${formatAge(Number(parked.oldestAgeSeconds))}`}>
            <SubmissionsLink
              search={{ queue: [Queue.PARKED] }}
            >{`Parked work: ${parked.count}${parked.atLeast ? '+' : ''}`}</SubmissionsLink>
          </Item>
        ) : null;
      }}
    </Items>
  );
}

function UnscannedDocuments({ environment }: SourceProps) {
  const request = { environment, waitingFor: WaitingFor.STAFF, pageSize: FEW };
  const query = useQuery(queryOf(DocumentService.method.listWaitingDocuments, request));
  return (
    <Items query={query}>
      {({ documents: found }) =>
        found.map(({ documentId, submissionId, category, ageSeconds }) => (
          <Item
            key={documentId}
            badge="Scan"
            color="amber"
            detail={`${enumLabel(DocumentCategorySchema, category)}, ${formatAge(Number(ageSeconds))}`}
          >
            <Link to="/submissions/$submissionId" params={{ submissionId }}>
              Unscanned document
            </Link>
          </Item>
        ))
      }
    </Items>
  );
}

function Erasures() {
  return (
    <Items query={useErasuresInProgress()}>
      {({ erasures }) =>
        erasures.map(({ erasureId, requestedAt, completed, submissions: all }) => (
          <Item
            key={erasureId}
            badge="Erasure"
            color="gray"
            detail={`${completed} of ${all} complete, requested ${formatAgeSince(requestedAt, Date.now())} ago`}
          >
            <Link to="/data-requests" search={{ erasure: erasureId }}>
              {`Erasure of ${withNoun(all, 'submission')}`}
            </Link>
          </Item>
        ))
      }
    </Items>
  );
}

/** Pending billing, in the list of submissions or, for people who may not list those, on the billing screen. */
function PendingBilling({ environment }: SourceProps) {
  const may = useMay();
  const mayList = may(SubmissionService.method.listSubmissions);
  const query = useQuery(queryOf(SubmissionService.method.listPendingBilling, { environment, pageSize: 1 }));
  return (
    <Items query={query}>
      {({ count, countIsAtLeast, oldestReceivedAt }) => {
        const pending = `Billing pending: ${count ?? 0}${countIsAtLeast ? '+' : ''}`;
        const oldest = oldestReceivedAt ? `Oldest ${formatAgeSince(oldestReceivedAt, Date.now())}. ` : '';
        return mayList ? (
          <Item
            badge="Billing"
            color="gray"
            detail={
              <>
                {oldest}
                <Link to="/submissions" search={{ billing: BillingStatus.NOT_BILLABLE }}>
                  View not billable submissions
                </Link>
              </>
            }
          >
            <Link to="/submissions" search={{ billing: BillingStatus.PENDING, status: [Status.ACCEPTED] }}>
              {pending}
            </Link>
          </Item>
        ) : (
          <Item badge="Billing" color="gray" detail={oldest}>
            <Link to="/billing">{pending}</Link>
          </Item>
        );
      }}
    </Items>
  );
}
