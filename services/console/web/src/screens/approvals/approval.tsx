import { Alert, Grid, Stack } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Approval, ApprovalService, ApprovalState } from '@supplier/proto/approval/v1/approval';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { PageActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { type ApprovingService, clientOf, keyOf, policies, queryOf, useMay } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { ReasonField } from '../../components/fields.tsx';
import { ShortId } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { LoadState, Panel, PanelFrame } from '../../components/panel.tsx';
import { isPurpose } from '../../components/purpose-field.tsx';
import { ExactTime, RelativeTime } from '../../components/time.tsx';
import { figuresQuery } from '../../figures-query.ts';
import { isId, quoted, spacedWithin } from '../../format.ts';
import { useSession } from '../../session.ts';
import { kindNamed } from '../policies/policy-kinds.ts';
import { TextDifference } from '../policy/policy-difference.tsx';
import { ApprovalBadge, actionName } from './approval-badge.tsx';
import { ApprovalChanges, ExactText } from './approval-changes.tsx';
import { deciderOf, requesterOf } from './people-of.ts';

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
  const may = useMay();
  const [approval, onOpen] = useFrozen(present);
  const { approveRequest, refuseRequest } = ApprovalService.method;
  if (approval.state !== ApprovalState.WAITING) return null;
  const props = { service, approval, onOpen };
  return (
    <PageActions>
      {may(approveRequest) ? <ApproveAction key="approve" {...props} /> : null}
      {may(refuseRequest) ? <RefuseAction key="refuse" {...props} /> : null}
    </PageActions>
  );
}

/** The text of a policy whose activation is requested, compared with the version that it replaces. */
function PolicyChange({ approval: { action, lines } }: { readonly approval: Approval }) {
  const may = useMay();
  const lineOf = (name: string) => lines.find((line) => line.name === name);
  const { before = '', after = '' } = lineOf('policy.version') ?? {};
  const kind = kindNamed(lineOf('kind')?.after ?? '');
  const digests = lineOf('policy.sha256');
  const isPolicy = action === 'ActivatePolicy' && after !== '';
  const mayRead = isPolicy && may(PolicyService.method.getPolicy);
  const query = useQuery({
    ...figuresQuery,
    queryKey: keyOf(PolicyService.method.getPolicy, { kind, version: after }, before),
    enabled: mayRead,
    queryFn: ({ signal }) =>
      Promise.all([
        before === '' ? undefined : policies.getPolicy({ kind, version: before }, { signal }),
        policies.getPolicy({ kind, version: after }, { signal }),
      ]),
  });
  if (!mayRead) return null;
  return (
    <Panel title="Policy text" query={query} isFlush>
      {([old, present]) =>
        digests &&
        (old?.policy?.sha256 ?? '') === (digests.before ?? '') &&
        present.policy?.sha256 === digests.after ? (
          <TextDifference
            before={old?.text ?? ''}
            after={present.text}
            heads={[
              before === '' ? 'No active version' : `Active when requested: ${before}`,
              `Requested: ${after}`,
            ]}
          />
        ) : (
          <Alert color="red" m="md">
            The stored text isn’t the one that this request covers. Do not approve it.
          </Alert>
        )
      }
    </Panel>
  );
}

interface DecideProps {
  readonly service: ApprovingService;
  /** The approval as the person read it. */
  readonly approval: Approval;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Approves exactly what was shown. If the digest has changed, it does not approve. */
function ApproveAction({ service, approval, onOpen }: DecideProps) {
  const { approvalId, requestedBy, sha256 } = approval;
  return (
    <ConfirmDialog
      name="Approve"
      description={`${visible(requestedBy)} can then run “${actionName(approval)}” once, exactly as shown. This cannot be undone.`}
      environment="both"
      command={`sss approvals approve ${approvalId} --service ${service} --sha256 ${sha256} --yes`}
      onOpen={onOpen}
      toastOf={() => ({ message: `Approved. ${visible(requestedBy)} can now run it.` })}
      run={async () => {
        const now = await clientOf(ApprovalService, service).getApproval({ approvalId });
        // After approval, the service no longer changes the request.
        if (now.sha256 !== sha256)
          throw new Error('The request has changed since you read it. Read it again, then decide.');
        await clientOf(ApprovalService, service).approveRequest({ approvalId });
      }}
    >
      <p>
        SHA-256: <ExactText text={sha256} />
      </p>
    </ConfirmDialog>
  );
}

/** Refuses a colleague's request, or withdraws one's own. */
function RefuseAction({ service, approval, onOpen }: DecideProps) {
  const { approvalId, requestedBy } = approval;
  const [reason, setReason] = useState('');
  const why = reason.trim();
  return (
    <ConfirmDialog
      name="Refuse"
      description={`${visible(requestedBy)} can’t run “${actionName(approval)}” and sees your reason. This cannot be undone, but they can request it again.`}
      environment="both"
      command={`sss approvals refuse ${approvalId} --service ${service} --reason ${quoted(why)}`}
      isReady={isPurpose(why)}
      isDestructive
      onOpen={(isOpen) => {
        setReason('');
        onOpen(isOpen);
      }}
      toastOf={() => ({ message: 'Refused' })}
      run={() => clientOf(ApprovalService, service).refuseRequest({ approvalId, reason: why })}
    >
      <ReasonField description="For the requester. No personal data." value={reason} onChange={setReason} />
    </ConfirmDialog>
  );
}
