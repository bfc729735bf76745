import { Alert, Grid, Stack } from '@mantine/core';
import { type Approval, ApprovalService, ApprovalState } from '@supplier/proto/approval/v1/approval';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { PageActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { type ApprovingService, mayCall, queryOf } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { LoadState } from '../../components/load-state.tsx';
import { ShortId } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { ExactTime, RelativeTime } from '../../components/time.tsx';
import { isId, spacedWithin } from '../../format.ts';
import { useSession } from '../../session.ts';
import { ApprovalBadge, actionName } from './approval-badge.tsx';
import { ApprovalChanges, ExactText } from './approval-changes.tsx';
import { ApproveAction, RefuseAction } from './decide-approval.tsx';
import { deciderOf, requesterOf } from './people-of.ts';
import { PolicyChange } from './policy-change.tsx';

interface ApprovalScreenProps {
  readonly service: ApprovingService;
  readonly approvalId: string;
}

/** One approval with everything it changes, and the available actions. */
export function ApprovalScreen({ service, approvalId }: ApprovalScreenProps) {
  const { subject } = useSession();
  const query = useQuery(queryOf(ApprovalService.method.getApproval, { approvalId }, service));
  const { data } = query;
  return (
    <>
      <PageHeader
        parent={{ name: 'Approvals', to: '/approvals' }}
        title={data ? actionName(data) : 'Approval'}
        actions={data ? <ApprovalActions service={service} approval={data} /> : null}
      >
        {data ? <ApprovalBadge state={data.state} /> : null}
      </PageHeader>
      <LoadState query={query} notFound="There is no such approval." />
      {data?.state === ApprovalState.WAITING && data.requestedBy === subject ? (
        <Alert mb="md">
          You requested this, so another person must approve it. You can refuse it to withdraw it.
        </Alert>
      ) : null}
      {data ? (
        <Grid gap="md">
          <Grid.Col span={{ base: 12, lg: 8 }}>
            <Stack gap="md">
              <PolicyChange approval={data} />
              <PanelFrame title="Changes" isFlush>
                <ApprovalChanges approval={data} />
              </PanelFrame>
            </Stack>
          </Grid.Col>
          <Grid.Col span={{ base: 12, lg: 4 }}>
            <PanelFrame title="Request">
              <Facts facts={factsOf(service, data)} />
            </PanelFrame>
          </Grid.Col>
        </Grid>
      ) : null}
    </>
  );
}

type Fact = readonly [name: string, value: ReactNode] | undefined;

function factsOf(service: ApprovingService, approval: Approval): readonly Fact[] {
  const { decidedAt, usedAt } = approval;
  const text = (name: string, value: string): Fact =>
    value === '' ? undefined : [name, <ExactText key={name} text={value} />];
  const id = (name: string, value: string): Fact => [name, <ShortId key={name} id={value} hasCopy />];
  return [
    text('Requested by', requesterOf(approval)),
    ['Requested', <ExactTime key="requested" at={approval.requestedAt} />],
    ['Expires', <RelativeTime key="expires" at={approval.expiresAt} />],
    text('Reason', approval.purpose),
    text('Needs approval because', spacedWithin(approval.reasons.join('; '))),
    decidedAt && text('Decided by', deciderOf(approval)),
    decidedAt && ['Decided', <ExactTime key="decided" at={decidedAt} />],
    text('Refusal reason', approval.refusalReason),
    usedAt && ['Used', <ExactTime key="used" at={usedAt} />],
    isId(approval.target) ? id('Target', approval.target) : text('Target', approval.target),
    text('RPC', `${approval.action} (${service})`),
    id('ID', approval.approvalId),
    id('SHA-256', approval.sha256),
  ];
}

interface ApprovalActionsProps {
  readonly service: ApprovingService;
  readonly approval: Approval;
}

/** The available actions. An open dialog keeps the approval as the person read it. */
function ApprovalActions({ service, approval: present }: ApprovalActionsProps) {
  const { roles } = useSession();
  const [approval, onOpen] = useFrozen(present);
  const { approveRequest, refuseRequest } = ApprovalService.method;
  if (approval.state !== ApprovalState.WAITING) return null;
  const props = { service, approval, onOpen };
  return (
    <PageActions>
      {mayCall(roles, approveRequest) ? <ApproveAction key="approve" {...props} /> : null}
      {mayCall(roles, refuseRequest) ? <RefuseAction key="refuse" {...props} /> : null}
    </PageActions>
  );
}
