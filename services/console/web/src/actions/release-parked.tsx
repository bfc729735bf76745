import { Code, ConnectError } from '@connectrpc/connect';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import { ReleaseOutcome } from '@supplier/proto/submission/v1/parked_work';
import { submissions } from '../calls.ts';
import { ConfirmDialog } from './confirm-dialog.tsx';

interface ReleaseParkedProps {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Releases parked work, so that it is retried. */
export const ReleaseParkedAction = ({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: ReleaseParkedProps) => (
  <ConfirmDialog
    name="Release parked work"
    description={`Retries the parked work of ${externalReference} now.`}
    environment={environment}
    command={`sss parked release ${submissionId}`}
    isReady
    onOpen={onOpen}
    run={async () => {
      const { results } = await submissions.releaseParkedWork({ submissionIds: [submissionId] });
      if (results[0]?.outcome !== ReleaseOutcome.RELEASED)
        throw new ConnectError('The work is no longer parked: it was released.', Code.FailedPrecondition);
    }}
  />
);
