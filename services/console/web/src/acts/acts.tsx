import { Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { DecideAct } from './decide.tsx';
import { ReturnAct } from './return.tsx';

/** What this person may do with a submission as it stands. */
export function Acts({ submission }: { readonly submission: SubmissionStatus }) {
  const { roles } = useSession();
  const { decideSubmission, returnSubmission } = SubmissionService.method;
  const decides = submission.status === Status.RECEIVED && mayCall(roles, decideSubmission);
  const returns = submission.status === Status.ACCEPTED && mayCall(roles, returnSubmission);
  if (!decides && !returns) return null;
  return (
    <fieldset className="acts">
      <legend>What you can do</legend>
      {decides ? <DecideAct submission={submission} decision={Status.ACCEPTED} /> : null}
      {decides ? <DecideAct submission={submission} decision={Status.REJECTED} /> : null}
      {decides ? <DecideAct submission={submission} decision={Status.DUPLICATE_NOT_ACCEPTED} /> : null}
      {returns ? <ReturnAct submission={submission} /> : null}
    </fieldset>
  );
}
