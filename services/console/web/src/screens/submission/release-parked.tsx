import { Code, ConnectError } from '@connectrpc/connect';
import { ReleaseOutcome } from '@supplier/proto/submission/v1/parked_work';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { submissions } from '../../calls.ts';
import type { SubmissionActionProps } from './input-action.tsx';
import { SUBMISSION_ACTIONS } from './submission-action-texts.ts';

/** Releases parked work, so that it is retried. */
export const ReleaseParkedAction = ({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: SubmissionActionProps) => (
  <ConfirmDialog
    name={SUBMISSION_ACTIONS.release}
    description={SUBMISSION_ACTIONS.releaseEffect(externalReference)}
    environment={environment}
    command={`sss parked release ${submissionId}`}
    onOpen={onOpen}
    run={async () => {
      const { results } = await submissions.releaseParkedWork({ submissionIds: [submissionId] });
      if (results[0]?.outcome !== ReleaseOutcome.RELEASED)
        throw new ConnectError(SUBMISSION_ACTIONS.notParked, Code.FailedPrecondition);
    }}
    toastOf={() => ({ message: SUBMISSION_ACTIONS.released(externalReference) })}
  />
);
