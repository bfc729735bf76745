import { Code, ConnectError } from '@connectrpc/connect';
import { ReleaseOutcome } from '@supplier/proto/submission/v1/parked_work';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { submissions } from '../../calls.ts';
import type { SubmissionActionProps } from './input-action.tsx';

/** Releases parked work, so that it is retried. */
export const ReleaseParkedAction = ({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: SubmissionActionProps) => (
  <ConfirmDialog
    name="Release parked work"
    description={`Retries the parked work of ${externalReference} now.`}
    environment={environment}
    command={`sss parked release ${submissionId}`}
    onOpen={onOpen}
    run={async () => {
      const { results } = await submissions.releaseParkedWork({ submissionIds: [submissionId] });
      if (results[0]?.outcome !== ReleaseOutcome.RELEASED)
        throw new ConnectError('The work is no longer parked: it was released.', Code.FailedPrecondition);
    }}
    toastOf={() => ({ message: `The work of ${externalReference} is being retried` })}
  />
);
