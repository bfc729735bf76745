import { Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useState } from 'react';
import { mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { DecideAct } from './decide.tsx';
import { TestEventAct } from './events.tsx';
import { ReturnAct } from './return.tsx';

/**
 * What this person may do with a submission as it stands. An act that somebody has begun stays, with what they typed, although
 * the submission moves on meanwhile: its refusal says what has happened.
 */
export function Acts({ submission: present }: { readonly submission: SubmissionStatus }) {
  const { roles } = useSession();
  const [begunWith, setBegunWith] = useState<SubmissionStatus>();
  const submission = begunWith ?? present;
  const onOpen = (isOpen: boolean) => setBegunWith(isOpen ? submission : undefined);
  const { decideSubmission, returnSubmission } = SubmissionService.method;
  const decides = submission.status === Status.RECEIVED && mayCall(roles, decideSubmission);
  const returns = submission.status === Status.ACCEPTED && mayCall(roles, returnSubmission);
  const tells = mayCall(roles, WebhookService.method.sendTestEvent);
  if (!decides && !returns && !tells) return null;
  return (
    <fieldset className="acts">
      <legend>What you can do</legend>
      {decides ? <DecideAct submission={submission} decision={Status.ACCEPTED} onOpen={onOpen} /> : null}
      {decides ? <DecideAct submission={submission} decision={Status.REJECTED} onOpen={onOpen} /> : null}
      {decides ? (
        <DecideAct submission={submission} decision={Status.DUPLICATE_NOT_ACCEPTED} onOpen={onOpen} />
      ) : null}
      {returns ? <ReturnAct submission={submission} onOpen={onOpen} /> : null}
      {tells ? <TestEventAct submission={submission} onOpen={onOpen} /> : null}
    </fieldset>
  );
}
