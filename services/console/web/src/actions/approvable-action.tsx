import {
  create,
  type DescMessage,
  type DescMethod,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { Button, TextInput } from '@mantine/core';
import { type Approval, ApprovalState } from '@supplier/proto/approval/v1/approval';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { approvals, codeOf, errorMessage } from '../calls.ts';
import { formatTime } from '../format.ts';
import { ConfirmDialog, type ConfirmDialogProps, quoted } from './confirm-dialog.tsx';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SHORTEST_PURPOSE = 3;

type Method<Input extends DescMessage> = DescMethod & { readonly input: Input };

interface ApprovableActionProps<Input extends DescMessage, Answer>
  extends Omit<ConfirmDialogProps<Answer>, 'run' | 'command'> {
  /** The service that performs the action and whose approvals are used. */
  readonly service: keyof typeof approvals;
  readonly method: Method<Input>;
  /** Builds the service's request with this approval id, or an empty one for none. */
  readonly request: (approvalId: string) => MessageInitShape<Input>;
  /** Performs the action, once per idempotency key. */
  readonly call: (request: MessageInitShape<Input>, idempotencyKey: string) => Promise<Answer>;
  /** The equivalent command for a terminal, without --yes, --approval and --ask-approval. */
  readonly command: string;
  /** Whether `sss` asks for confirmation, so that its command needs --yes. */
  readonly isConfirmed?: boolean;
}

/**
 * An action that requires a second person's approval where the installation is configured so. A person can ask a
 * colleague to approve exactly this request, and then run it. One function builds both the request for approval and the
 * action, so that they are identical.
 */
export function ApprovableAction<Input extends DescMessage, Answer>({
  service,
  method,
  request,
  call,
  command,
  isConfirmed = false,
  children,
  ...act
}: ApprovableActionProps<Input, Answer>) {
  const [approvalId, setApprovalId] = useState('');
  const [isUnfolded, unfold] = useState(false);
  const approval = approvalId.trim();
  return (
    <ConfirmDialog
      {...act}
      command={`${command}${approval ? ` --approval ${approval}` : ''}${isConfirmed ? ' --yes' : ''}`}
      run={async (idempotencyKey) => {
        try {
          const answer = await call(request(approval), idempotencyKey);
          setApprovalId('');
          return answer;
        } catch (error) {
          if (codeOf(error) === Code.FailedPrecondition) unfold(true);
          throw error;
        }
      }}
    >
      {children}
      <details open={isUnfolded} onToggle={(event) => unfold(event.currentTarget.open)}>
        <summary>Where it takes two people</summary>
        <Asking
          isReady={act.isReady}
          command={command}
          ask={(purpose) => {
            const message = create(method.input, request('')) as MessageShape<Input>;
            return approvals[service].requestApproval({
              action: method.name,
              argumentsJson: JSON.stringify(toJson(method.input, message)),
              purpose,
            });
          }}
          onAsked={(asked) => setApprovalId(asked.approvalId)}
        />
        <TextInput
          label="Approval ID"
          description={<StandingOf service={service} approvalId={approval} />}
          id={`approval-of-${method.name}`}
          value={approvalId}
          maxLength={36}
          onChange={(event) => setApprovalId(event.currentTarget.value)}
        />
      </details>
    </ConfirmDialog>
  );
}

interface AskingProps {
  readonly isReady: boolean;
  readonly command: string;
  readonly ask: (purpose: string) => Promise<Approval>;
  readonly onAsked: (approval: Approval) => void;
}

/** Asks a colleague to approve the action with the values currently in its dialog. */
function Asking({ isReady, command, ask, onAsked }: AskingProps) {
  const [purpose, setPurpose] = useState('');
  const asking = useMutation({ mutationFn: () => ask(purpose.trim()), onSuccess: onAsked });
  const canAsk = isReady && purpose.trim().length >= SHORTEST_PURPOSE && !asking.isPending;
  return (
    <>
      <TextInput
        label="Reason for the approver"
        description="Also in the audit log. No personal data."
        id="ask-purpose"
        value={purpose}
        maxLength={200}
        onChange={(event) => setPurpose(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter would submit the action itself.
          event.preventDefault();
          if (canAsk) asking.mutate();
        }}
      />
      <p>
        <Button disabled={!canAsk} loading={asking.isPending} onClick={() => asking.mutate()}>
          Ask a colleague
        </Button>
        {canAsk ? (
          <>
            {' '}
            or <code className="command">{`${command} --ask-approval ${quoted(purpose.trim())}`}</code>
          </>
        ) : null}
      </p>
      {asking.error ? <p role="alert">{errorMessage(asking.error)}</p> : null}
    </>
  );
}

interface StandingProps {
  readonly service: keyof typeof approvals;
  readonly approvalId: string;
}

/** The state of an approval, refreshed while a person waits for it. */
function StandingOf({ service, approvalId }: StandingProps) {
  const query = useQuery({
    queryKey: ['approval', service, approvalId],
    queryFn: ({ signal }) => approvals[service].getApproval({ approvalId }, { signal }),
    enabled: UUID.test(approvalId),
  });
  if (query.error) return <span role="alert">{errorMessage(query.error)}</span>;
  if (!query.data) return 'Valid once, for the requester and exactly the approved action.';
  return <span role="status">{standing(query.data)}</span>;
}

function standing(approval: Approval): string {
  switch (approval.state) {
    case ApprovalState.WAITING:
      return `Awaiting approval until ${formatTime(approval.expiresAt)}.`;
    case ApprovalState.APPROVED:
      return `${approval.decidedBy} has approved it; do it by ${formatTime(approval.expiresAt)}.`;
    case ApprovalState.REFUSED:
      return `${approval.decidedBy} has refused it: ${approval.refusalReason}`;
    case ApprovalState.USED:
      return `Used ${formatTime(approval.usedAt)}. Request another approval.`;
    case ApprovalState.EXPIRED:
      return `Expired ${formatTime(approval.expiresAt)}. Request another approval.`;
    case ApprovalState.UNSPECIFIED:
      return 'This console is too old to show its state.';
  }
}
