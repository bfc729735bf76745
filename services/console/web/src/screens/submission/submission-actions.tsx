import type { DescMethod } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { BillingStatus, Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { ReleaseOutcome } from '@supplier/proto/submission/v1/parked_work';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { PreUnderwritingOutcome, type Timeline } from '@supplier/proto/submission/v1/timeline';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useNavigate } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { PageActions } from '../../actions/page-actions.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { submissions, useMay } from '../../calls.ts';
import { EraseAction } from '../data-requests/erase.tsx';
import { type Applicants, HoldAction, ReleaseHoldAction } from '../data-requests/hold.tsx';
import { TestEventAction } from '../webhooks/send-actions.tsx';
import { CloseBillingAction } from './close-billing.tsx';
import { DecideAction, type Decision } from './decide.tsx';
import type { SubmissionActionProps } from './input-action.tsx';
import { CompletePreUnderwritingAction } from './pre-underwriting.tsx';
import { ReturnAction } from './return.tsx';

/** The state of a submission, as far as actions depend on it. */
interface Situation {
  readonly submission: SubmissionStatus;
  /** Undefined while it is loading, or when this person may not read it. */
  readonly timeline: Timeline | undefined;
}

interface Action {
  readonly call: DescMethod;
  readonly isApplicable: (situation: Situation) => boolean;
  readonly render: (props: SubmissionActionProps) => ReactNode;
}

const submissionRpc = SubmissionService.method;
const privacyRpc = PrivacyService.method;
const isReceived = ({ submission }: Situation) => submission.status === Status.RECEIVED;
const isAccepted = ({ submission }: Pick<Situation, 'submission'>) => submission.status === Status.ACCEPTED;

const isLeftToStaff = ({ timeline }: Situation) =>
  timeline?.entries.some(
    ({ what }) =>
      what.case === 'preUnderwriting' && what.value.outcome === PreUnderwritingOutcome.LEFT_TO_STAFF,
  ) ?? false;
const isParked = ({ timeline }: Situation) =>
  timeline?.entries.some(({ what }) => what.case === 'parked') ?? false;
const isUnbilled = ({ submission }: Situation) =>
  isAccepted({ submission }) &&
  submission.applicationReference === undefined &&
  submission.billing?.billingStatus === BillingStatus.PENDING;

/**
 * No contract returns the hold state without the applicant, so both actions are offered. They report if nothing
 * changed.
 */
const always = () => true;

const deciding = (decision: Decision): Action => ({
  call: submissionRpc.decideSubmission,
  isApplicable: isReceived,
  render: (props) => <DecideAction {...props} decision={decision} />,
});

/** Other actions are in the menu. */
const MAX_BUTTONS = 2;
/** No submission has two of one key. */
const KEYS = {
  Accept: 'a',
  Reject: 'r',
  'Mark as duplicate': 'd',
  Return: 'r',
};

/** Every action on a submission, in display order. */
const ACTIONS: Readonly<Record<string, Action>> = {
  accept: deciding(Status.ACCEPTED),
  reject: deciding(Status.REJECTED),
  duplicate: deciding(Status.DUPLICATE_NOT_ACCEPTED),
  completePreUnderwriting: {
    call: submissionRpc.completePreUnderwriting,
    isApplicable: (situation) => isAccepted(situation) && isLeftToStaff(situation),
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
  closeBilling: {
    call: submissionRpc.closePendingBilling,
    isApplicable: isUnbilled,
    render: ({ submission, onOpen }) => <CloseBillingAction {...submission} onOpen={onOpen} />,
  },
  testEvent: {
    call: WebhookService.method.sendTestEvent,
    isApplicable: always,
    render: (props) => <TestEventAction {...props} environment={props.submission.environment} />,
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
    render: (props) => <EraseFromScreen {...applicantsOf(props)} />,
  },
};

const applicantsOf = ({ submission, onOpen }: SubmissionActionProps): Applicants => ({
  submissionIds: [submission.submissionId],
  references: submission.externalReference,
  environment: submission.environment,
  onOpen,
});

/** Erases the applicant, and opens the certificate. */
function EraseFromScreen(props: Applicants) {
  const navigate = useNavigate();
  return (
    <EraseAction
      {...props}
      onErased={(erasure) => void navigate({ to: '/data-requests', search: { erasure } })}
    />
  );
}

/** The actions this person may take on a submission in its present state. */
export function SubmissionActions({
  submission: present,
  timeline,
  isPreview = false,
  onDecided,
}: Situation & {
  /** In a preview, only the actions that the state calls for are offered, all as buttons. */
  readonly isPreview?: boolean;
  readonly onDecided?: (() => void) | undefined;
}) {
  const may = useMay();
  const [situation, onOpen] = useFrozen<Situation>({ submission: present, timeline });
  const offered = Object.entries(ACTIONS).filter(
    ([, { call, isApplicable }]) =>
      may(call) && isApplicable(situation) && !(isPreview && isApplicable === always),
  );
  const urgent = offered.filter(([, { isApplicable }]) => isApplicable !== always).length;
  return (
    <PageActions
      keys={KEYS}
      {...(isPreview
        ? { buttons: urgent, of: present.externalReference }
        : { buttons: Math.min(urgent, MAX_BUTTONS) })}
    >
      {offered.map(([name, { render }]) => (
        <Fragment key={name}>{render({ submission: situation.submission, onOpen, onDecided })}</Fragment>
      ))}
    </PageActions>
  );
}

/** Releases parked work, so that it is retried. */
const ReleaseParkedAction = ({
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
