import type { DescMethod } from '@bufbuild/protobuf';
import { BillingStatus, Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { PreUnderwritingOutcome, type Timeline } from '@supplier/proto/submission/v1/timeline';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { Fragment, type ReactNode } from 'react';
import { mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { useBegun } from './begun.ts';
import { CloseLeadAct } from './close-lead.tsx';
import { DecideAct } from './decide.tsx';
import { EraseAct } from './erase.tsx';
import { TestEventAct } from './events.tsx';
import { HoldAct, type OfApplicants, ReleaseHoldAct } from './hold.tsx';
import { CompletePreUnderwritingAct } from './pre-underwriting.tsx';
import { ReleaseParkedAct } from './release-parked.tsx';
import { ReturnAct } from './return.tsx';

/** The state of a submission, as far as actions depend on it. */
interface Standing {
  readonly submission: SubmissionStatus;
  /** Undefined while it is loading, or when this person may not read it. */
  readonly timeline: Timeline | undefined;
}

interface Offered {
  readonly call: DescMethod;
  readonly makesSense: (standing: Standing) => boolean;
  readonly act: (props: ActOnSubmission) => ReactNode;
}

interface ActOnSubmission {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}

const submissionRpc = SubmissionService.method;
const privacyRpc = PrivacyService.method;
const isReceived = ({ submission }: Standing) => submission.status === Status.RECEIVED;
const isAccepted = ({ submission }: Pick<Standing, 'submission'>) => submission.status === Status.ACCEPTED;

const isLeftToStaff = ({ timeline }: Standing) =>
  timeline?.entries.some(
    ({ what }) =>
      what.case === 'preUnderwriting' && what.value.outcome === PreUnderwritingOutcome.LEFT_TO_STAFF,
  ) ?? false;
const isParked = ({ timeline }: Standing) =>
  timeline?.entries.some(({ what }) => what.case === 'parked') ?? false;
const isUnbilled = ({ submission }: Standing) =>
  isAccepted({ submission }) &&
  submission.applicationReference === undefined &&
  submission.billing?.billingStatus === BillingStatus.PENDING;

/**
 * No contract returns the hold state without the applicant, so both actions are offered. They report if nothing
 * changed.
 */
const always = () => true;

/** Every action on a submission, in display order. */
const ACTS: Readonly<Record<string, Offered>> = {
  accept: {
    call: submissionRpc.decideSubmission,
    makesSense: isReceived,
    act: (props) => <DecideAct {...props} decision={Status.ACCEPTED} />,
  },
  reject: {
    call: submissionRpc.decideSubmission,
    makesSense: isReceived,
    act: (props) => <DecideAct {...props} decision={Status.REJECTED} />,
  },
  duplicate: {
    call: submissionRpc.decideSubmission,
    makesSense: isReceived,
    act: (props) => <DecideAct {...props} decision={Status.DUPLICATE_NOT_ACCEPTED} />,
  },
  completePreUnderwriting: {
    call: submissionRpc.completePreUnderwriting,
    makesSense: (standing) => isAccepted(standing) && isLeftToStaff(standing),
    act: (props) => <CompletePreUnderwritingAct {...props} />,
  },
  return: {
    call: submissionRpc.returnSubmission,
    makesSense: isAccepted,
    act: (props) => <ReturnAct {...props} />,
  },
  releaseParked: {
    call: submissionRpc.releaseParkedWork,
    makesSense: isParked,
    act: (props) => <ReleaseParkedAct {...props} />,
  },
  closeLead: {
    call: submissionRpc.closePendingLead,
    makesSense: isUnbilled,
    act: ({ submission, onOpen }) => <CloseLeadAct {...submission} onOpen={onOpen} />,
  },
  testEvent: {
    call: WebhookService.method.sendTestEvent,
    makesSense: always,
    act: (props) => <TestEventAct {...props} />,
  },
  hold: {
    call: privacyRpc.holdSubmissions,
    makesSense: always,
    act: (props) => <HoldAct {...applicantsOf(props)} />,
  },
  releaseHold: {
    call: privacyRpc.releaseHold,
    makesSense: always,
    act: (props) => <ReleaseHoldAct {...applicantsOf(props)} />,
  },
  erase: {
    call: privacyRpc.requestErasure,
    makesSense: always,
    act: (props) => <EraseAct {...applicantsOf(props)} />,
  },
};

const applicantsOf = ({ submission, onOpen }: ActOnSubmission): OfApplicants => ({
  submissionIds: [submission.submissionId],
  whose: submission.externalReference,
  environment: submission.environment,
  onOpen,
});

/** The actions this person may take on a submission in its present state. */
export function Acts({ submission: present, timeline }: Standing) {
  const { roles } = useSession();
  const [standing, onOpen] = useBegun<Standing>({ submission: present, timeline });
  const offered = Object.entries(ACTS).filter(
    ([, { call, makesSense }]) => mayCall(roles, call) && makesSense(standing),
  );
  if (offered.length === 0) return null;
  return (
    <fieldset className="acts">
      <legend>What you can do</legend>
      {offered.map(([name, { act }]) => (
        <Fragment key={name}>{act({ submission: standing.submission, onOpen })}</Fragment>
      ))}
    </fieldset>
  );
}
