import { timestampDate } from '@bufbuild/protobuf/wkt';
import { visible } from '@supplier/lib/text/visible';
import { BusinessSectorSchema, TradingDurationSchema } from '@supplier/proto/common/v1/enquiry';
import {
  LevelSchema,
  ReturnReasonCategorySchema,
  type SubmissionStatus,
} from '@supplier/proto/common/v1/status';
import type { Timeline } from '@supplier/proto/submission/v1/timeline';
import { Facts } from '../../components/facts.tsx';
import { Mono } from '../../components/mono.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { ContactBadge } from '../../components/status-badge.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { ExactTime } from '../../components/time.tsx';
import { enumLabel, formatDuration, formatWholePounds } from '../../format.ts';

interface SummaryProps {
  readonly submission: SubmissionStatus;
  /** Undefined while it is loading, or when this person may not read it. */
  readonly timeline: Timeline | undefined;
}

export const SummaryPanel = (props: SummaryProps) => (
  <PanelFrame title="Summary">
    <SubmissionFacts {...props} />
  </PanelFrame>
);

/** The facts of a submission, without its applicant. */
export const SubmissionFacts = ({ submission, timeline }: SummaryProps) => (
  <Facts
    facts={[
      timeline && ['Supplier', <SupplierName key="supplier" accountId={timeline.accountId} />],
      ['Reference', <Mono key="reference">{visible(submission.externalReference)}</Mono>],
      ['Level', enumLabel(LevelSchema, submission.level)],
      ...(timeline ? businessFacts(timeline) : []),
      ['Received', <ExactTime key="received" at={submission.receivedAt} />],
      ['Decided', decidedIn(submission)],
      submission.return && [
        'Returned',
        enumLabel(ReturnReasonCategorySchema, submission.return.reasonCategory),
      ],
      timeline && timeline.checkContact.length > 0
        ? ['Contact', <ContactBadge key="contact" checks={timeline.checkContact} />]
        : undefined,
      [
        'Application',
        submission.applicationReference === undefined ? (
          'None'
        ) : (
          <Mono key="application">{submission.applicationReference}</Mono>
        ),
      ],
      ['ID', <Mono key="id">{submission.submissionId}</Mono>],
    ]}
  />
);

/** What identifies no one, and is unset after erasure. */
const businessFacts = ({ fundingAmount, businessSector, tradingDuration }: Timeline) =>
  (
    [
      ['Amount', fundingAmount && formatWholePounds(fundingAmount)],
      ['Sector', businessSector && enumLabel(BusinessSectorSchema, businessSector)],
      ['Trading time', tradingDuration && enumLabel(TradingDurationSchema, tradingDuration)],
    ] as const
  ).filter(([, value]) => Boolean(value));

const decidedIn = ({ receivedAt, decidedAt }: SubmissionStatus): string =>
  receivedAt && decidedAt
    ? `${formatDuration(timestampDate(decidedAt).getTime() - timestampDate(receivedAt).getTime())} later`
    : 'Not yet';
