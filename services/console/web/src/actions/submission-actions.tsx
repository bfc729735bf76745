import type { DescMethod } from '@bufbuild/protobuf';
import { BillingStatus, Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { PreUnderwritingOutcome, type Timeline } from '@supplier/proto/submission/v1/timeline';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { Fragment, type ReactNode } from 'react';
import { mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { CloseLeadAction } from './close-lead.tsx';
import { DecideAction } from './decide.tsx';
import { EraseAction } from './erase.tsx';
import { TestEventAction } from './events.tsx';
import { HoldAction, type OfApplicants, ReleaseHoldAction } from './hold.tsx';
import { PageActions } from './page-actions.tsx';
import { CompletePreUnderwritingAction } from './pre-underwriting.tsx';
import { ReleaseParkedAction } from './release-parked.tsx';
import { ReturnAction } from './return.tsx';
import { useFrozen } from './use-frozen.ts';

/** The state of a submission, as far as actions depend on it. */
interface Standing {
  readonly submission: SubmissionStatus;
  /** Undefined while it is loading, or when this person may not read it. */
  readonly timeline: Timeline | undefined;
}

interface Offered {
  readonly call: DescMethod;
  readonly isApplicable: (standing: Standing) => boolean;
  readonly render: (props: SubmissionActionProps) => ReactNode;
}

interface SubmissionActionProps {
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

/** Other actions are in the menu. */
const MAX_BUTTONS = 2;

/** Every action on a submission, in display order. */
const ACTIONS: Readonly<Record<string, Offered>> = {
  accept: {
    call: submissionRpc.decideSubmission,
    isApplicable: isReceived,
    render: (props) => <DecideAction {...props} decision={Status.ACCEPTED} />,
  },
  reject: {
    call: submissionRpc.decideSubmission,
    isApplicable: isReceived,
    render: (props) => <DecideAction {...props} decision={Status.REJECTED} />,
  },
  duplicate: {
    call: submissionRpc.decideSubmission,
    isApplicable: isReceived,
    render: (props) => <DecideAction {...props} decision={Status.DUPLICATE_NOT_ACCEPTED} />,
  },
  completePreUnderwriting: {
    call: submissionRpc.completePreUnderwriting,
    isApplicable: (standing) => isAccepted(standing) && isLeftToStaff(standing),
    render: (props) => <CompletePreUnderwritingAction {...props} />,
  },
  return: {
    call: submissionRpc.returnSubmission,
    isApplicable: isAccepted,
    render: (props) => <ReturnAction {...props} />,
  },
  releaseParked: {
    call: submissionRpc.releaseParkedWork,
    isApplicable: isParked,
    render: (props) => <ReleaseParkedAction {...props} />,
  },
  closeLead: {
    call: submissionRpc.closePendingLead,
    isApplicable: isUnbilled,
    render: ({ submission, onOpen }) => <CloseLeadAction {...submission} onOpen={onOpen} />,
  },
  testEvent: {
    call: WebhookService.method.sendTestEvent,
    isApplicable: always,
    render: (props) => <TestEventAction {...props} />,
  },
  hold: {
    call: privacyRpc.holdSubmissions,
    isApplicable: always,
    render: (props) => <HoldAction {...applicantsOf(props)} />,
  },
  releaseHold: {
    call: privacyRpc.releaseHold,
    isApplicable: always,
    render: (props) => <ReleaseHoldAction {...applicantsOf(props)} />,
  },
  erase: {
    call: privacyRpc.requestErasure,
    isApplicable: always,
    render: (props) => <EraseAction {...applicantsOf(props)} />,
  },
};

const applicantsOf = ({ submission, onOpen }: SubmissionActionProps): OfApplicants => ({
  submissionIds: [submission.submissionId],
  whose: submission.externalReference,
  environment: submission.environment,
  onOpen,
});

/** The actions this person may take on a submission in its present state. */
export function SubmissionActions({ submission: present, timeline }: Standing) {
  const { roles } = useSession();
  const [standing, onOpen] = useFrozen<Standing>({ submission: present, timeline });
  const offered = Object.entries(ACTIONS).filter(
    ([, { call, isApplicable }]) => mayCall(roles, call) && isApplicable(standing),
  );
  return (
    <PageActions
      buttons={Math.min(
        offered.filter(([, { isApplicable }]) => isApplicable !== always).length,
        MAX_BUTTONS,
      )}
    >
      {offered.map(([name, { render }]) => (
        <Fragment key={name}>{render({ submission: standing.submission, onOpen })}</Fragment>
      ))}
    </PageActions>
  );
}
