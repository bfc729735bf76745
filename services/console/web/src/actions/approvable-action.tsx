import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
  toJson,
} from '@bufbuild/protobuf';
import { Code as RpcCode } from '@connectrpc/connect';
import { Accordion, Alert, Button, Code, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { visible } from '@supplier/lib/text/visible';
import { type Approval, ApprovalService, ApprovalState } from '@supplier/proto/approval/v1/approval';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  type ApprovingService,
  approvingServiceOf,
  callOf,
  clientOf,
  codeOf,
  errorMessage,
  queryOf,
} from '../calls.ts';
import { TextField } from '../components/fields.tsx';
import { isPurpose } from '../components/purpose-field.tsx';
import { formatTime, quoted, UUID } from '../format.ts';
import { ConfirmDialog, type ConfirmDialogProps } from './confirm-dialog.tsx';

/** Becomes part of ids, so without spaces. */
const APPROVAL_SECTION = 'approval';

/**
 * An action that requires a second person's approval where the installation is configured so. A person can ask a
 * colleague to approve exactly this request, and then run it. One function builds both the request for approval and the
 * action, so that they are identical.
 */
export function ApprovableAction<Input extends DescMessage, Output extends DescMessage>({
  environment = 'both',
  method,
  request,
  command,
  isConfirmed = false,
  onDone,
  children,
  ...dialog
}: Omit<ConfirmDialogProps<MessageShape<Output>>, 'run' | 'environment'> & {
  readonly environment?: ConfirmDialogProps<unknown>['environment'];
  readonly method: DescMethodUnary<Input, Output>;
  /**
   * Builds the request with this approval id, and an idempotency key where the method has one. Both are empty in what a
   * colleague approves.
   */
  readonly request: (approvalId: string, idempotencyKey: string) => MessageInitShape<Input>;
  /** The equivalent command for a terminal, without --yes, --approval and --ask-approval. */
  readonly command: string;
  /** Whether `sss` asks for confirmation, so that its command needs --yes. */
  readonly isConfirmed?: boolean;
  readonly onDone?: (answer: MessageShape<Output>) => void;
}) {
  const service = approvingServiceOf(method);
  const approved = create(method.input, request('', ''));
  const argumentsJson = JSON.stringify(toJson(method.input, approved));
  const [approvalId, setApprovalId] = useState('');
  const [section, setSection] = useState<string | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const approval = approvalId.trim();
  return (
    <ConfirmDialog
      {...dialog}
      environment={environment}
      onOpen={(open) => {
        setIsOpen(open);
        dialog.onOpen?.(open);
      }}
      command={`${command}${approval ? ` --approval ${approval}` : ''}${isConfirmed ? ' --yes' : ''}`}
      run={async (idempotencyKey) => {
        try {
          const answer = await callOf(method, request(approval, idempotencyKey));
          setApprovalId('');
          onDone?.(answer);
          return answer;
        } catch (error) {
          if (codeOf(error) === RpcCode.FailedPrecondition) setSection(APPROVAL_SECTION);
          throw error;
        }
      }}
    >
      {children}
      {isOpen && (dialog.isReady ?? true) ? (
        <ApprovalNeed
          service={service}
          action={method.name}
          argumentsJson={argumentsJson}
          onEnforced={() => setSection(APPROVAL_SECTION)}
        />
      ) : null}
      <Accordion variant="contained" mb="sm" value={section} onChange={setSection}>
        <Accordion.Item value={APPROVAL_SECTION}>
          <Accordion.Control>Second person’s approval</Accordion.Control>
          <Accordion.Panel>
            <RequestForm
              isReady={dialog.isReady ?? true}
              command={command}
              reason={reasonIn(approved)}
              send={(purpose) =>
                clientOf(ApprovalService, service).requestApproval({
                  action: method.name,
                  argumentsJson,
                  purpose,
                })
              }
              onRequested={(requested) => setApprovalId(requested.approvalId)}
            />
            <TextField
              path="approval_id"
              label="Approval ID"
              description={<ApprovalStatus service={service} approvalId={approval} />}
              value={approvalId}
              maxLength={36}
              onChange={setApprovalId}
            />
          </Accordion.Panel>
        </Accordion.Item>
      </Accordion>
    </ConfirmDialog>
  );
}

/** Returns why a person acts, which the approver wants to know as well. */
const reasonIn = (message: Readonly<Record<string, unknown>>): string =>
  [message.purpose, message.reason].find((text) => typeof text === 'string')?.trim() ?? '';

interface ApprovalNeedProps {
  readonly service: ApprovingService;
  readonly action: string;
  readonly argumentsJson: string;
  /** Called once the action can't be done alone. */
  readonly onEnforced: () => void;
}

const TYPING_MS = 300;

/** Whether the action, with the values in its dialog, needs a second person, and why. */
function ApprovalNeed({ service, action, argumentsJson, onEnforced }: ApprovalNeedProps) {
  const [request] = useDebouncedValue(argumentsJson, TYPING_MS);
  const { data } = useQuery({
    ...queryOf(ApprovalService.method.checkApproval, { action, argumentsJson: request }, service),
    // A refusal of the request itself is shown when it is sent.
    retry: false,
    refetchInterval: false,
    gcTime: 0,
  });
  const isEnforced = data?.enforced === true;
  // biome-ignore lint/correctness/useExhaustiveDependencies: not when it is another function
  useEffect(() => {
    if (isEnforced) onEnforced();
  }, [isEnforced]);
  if (!data) return null;
  const reasons = visible(data.reasons.join(', '));
  return (
    <Alert color={data.enforced ? 'yellow' : 'gray'} role="note" mb="sm">
      {reasons === ''
        ? 'Doesn’t require a second person’s approval.'
        : data.enforced
          ? `Requires a second person’s approval: ${reasons}.`
          : `Approval isn’t enforced in this installation, so you can do this alone. Otherwise it requires a second person: ${reasons}.`}
    </Alert>
  );
}

interface RequestFormProps {
  readonly isReady: boolean;
  readonly command: string;
  /** The reason for the action. */
  readonly reason: string;
  readonly send: (purpose: string) => Promise<Approval>;
  readonly onRequested: (approval: Approval) => void;
}

/** Requests approval of the action with the values currently in its dialog. */
function RequestForm({ isReady, command, reason, send, onRequested }: RequestFormProps) {
  const [typed, setPurpose] = useState<string>();
  const purpose = typed ?? reason;
  const requesting = useMutation({ mutationFn: () => send(purpose.trim()), onSuccess: onRequested });
  const canRequest = isReady && isPurpose(purpose) && !requesting.isPending;
  return (
    <>
      <TextField
        path=""
        label="Reason for the approver"
        description="Also recorded in the audit log. Enter a case number, not personal details."
        value={purpose}
        maxLength={200}
        isReason
        onChange={setPurpose}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter would submit the action itself.
          event.preventDefault();
          if (canRequest) requesting.mutate();
        }}
      />
      <Group gap="xs" mb="sm">
        <Button disabled={!canRequest} loading={requesting.isPending} onClick={() => requesting.mutate()}>
          Request approval
        </Button>
        {canRequest ? (
          <Text size="sm">
            or run <Code>{`${command} --ask-approval ${quoted(purpose.trim())}`}</Code>
          </Text>
        ) : requesting.isPending ? null : (
          <Text size="sm" c="dimmed">
            {isReady ? 'Enter a reason for the approver first.' : 'Complete the action first.'}
          </Text>
        )}
      </Group>
      {requesting.error ? (
        <Alert color="red" mb="sm">
          {errorMessage(requesting.error)}
        </Alert>
      ) : null}
    </>
  );
}

interface ApprovalStatusProps {
  readonly service: ApprovingService;
  readonly approvalId: string;
}

/** The state of an approval, refreshed while a person waits for it. */
function ApprovalStatus({ service, approvalId }: ApprovalStatusProps) {
  const query = useQuery({
    ...queryOf(ApprovalService.method.getApproval, { approvalId }, service),
    enabled: UUID.test(approvalId),
  });
  if (query.error) return <span role="alert">{errorMessage(query.error)}</span>;
  if (!query.data) return 'Valid once, for the requester and exactly the approved action.';
  return <span role="status">{statusOf(query.data)}</span>;
}

function statusOf(approval: Approval): string {
  switch (approval.state) {
    case ApprovalState.WAITING:
      return `Pending until ${formatTime(approval.expiresAt)}.`;
    case ApprovalState.APPROVED:
      return `Approved by ${approval.decidedBy}. Use it by ${formatTime(approval.expiresAt)}.`;
    case ApprovalState.REFUSED:
      return `Refused by ${approval.decidedBy}: ${approval.refusalReason}`;
    case ApprovalState.USED:
      return `Used ${formatTime(approval.usedAt)}. Request another approval.`;
    case ApprovalState.EXPIRED:
      return `Expired ${formatTime(approval.expiresAt)}. Request another approval.`;
    case ApprovalState.UNSPECIFIED:
      return 'Reload this page: it is older than the service.';
  }
}
