import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import { type ActionInput, ConfirmDialog } from '../../actions/confirm-dialog.tsx';

/** Describes the field of a reason. */
export const FOR_COLLEAGUES = 'For colleagues. Suppliers never see it. No personal data.';

export interface SubmissionActionProps {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
  /** Called after a decision. */
  readonly onDecided?: (() => void) | undefined;
}

/** An action on one submission that takes some input. */
export const InputAction = <Fields,>({
  submission: { submissionId, environment },
  onOpen,
  input,
  description,
  done,
  send,
}: SubmissionActionProps & {
  readonly input: ActionInput<Fields>;
  readonly description: string;
  /** The toast after the action. */
  readonly done: string;
  readonly send: (request: Fields & { readonly submissionId: string }) => Promise<unknown>;
}) => (
  <ConfirmDialog
    name={input.name}
    description={description}
    environment={environment}
    command={`${input.command} ${submissionId} ${input.flags} --yes`}
    isReady={input.isReady}
    isDestructive={input.isDestructive}
    onOpen={onOpen}
    run={() => send({ ...input.request, submissionId })}
    toastOf={() => ({ message: done })}
  >
    {input.fields}
  </ConfirmDialog>
);
