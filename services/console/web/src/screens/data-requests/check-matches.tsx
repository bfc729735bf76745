import { Badge, Button, Checkbox, Group, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type FoundSubmission, PersonMatchSchema } from '@supplier/proto/submission/v1/privacy';
import { Mono, SubmissionLink } from '../../components/mono.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { EnvironmentBadge, StatusBadge } from '../../components/status-badge.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { RelativeTime } from '../../components/time.tsx';
import type { Reveal } from '../../components/use-reveal.ts';
import { capitalize, enumName, withNoun } from '../../format.ts';
import { MAX_FOUND } from './first-of.ts';
import type { FoundPeople } from './use-person-search.ts';

/** The selected submissions. They contain no personal details, so they may outlast the search results. */
export interface Selection {
  readonly selectedBy: string;
  readonly submissions: readonly FoundSubmission[];
}

interface CheckPanelProps {
  readonly found: Reveal<FoundPeople>;
  readonly selection: Selection;
  readonly onSelect: (selection: Selection) => void;
  readonly onContinue: () => void;
}

/** The matches of a search with masked details, of which the person's own are selected. */
export function CheckPanel({ found, selection, onSelect, onContinue }: CheckPanelProps) {
  const isSelected = (id: string) => selection.submissions.some(({ submissionId }) => submissionId === id);
  const select = ({ selectedBy }: FoundPeople, { contact: _, ...submission }: FoundSubmission) => {
    const others = selection.submissions.filter(
      ({ submissionId }) => submissionId !== submission.submissionId,
    );
    onSelect({
      selectedBy,
      submissions: isSelected(submission.submissionId) ? others : [...others, submission],
    });
  };
  const count = selection.submissions.length;
  return (
    <PanelFrame title="Check the matches">
      <Text size="sm" c="dimmed" mb="sm">
        Several people may share a telephone number or an email. Select only this person’s submissions.
      </Text>
      <Revealed of={found} label="Found submissions">
        {(all) =>
          all.submissions.length === 0 ? (
            <p>No applicants match. Check the email and telephone number, then search again.</p>
          ) : (
            <>
              {all.isComplete ? null : <p>{`Only the first ${MAX_FOUND} are shown.`}</p>}
              <SimpleTable
                label="Found submissions"
                heads={[
                  'Reference',
                  'Applicant',
                  'Matched by',
                  'Supplier',
                  'Environment',
                  'Status',
                  'Received',
                  'ID',
                ]}
                minor={['Received']}
                rows={all.submissions.map((submission) => [
                  <Checkbox
                    key="select"
                    size="xs"
                    aria-label={`Select ${submission.submissionId}`}
                    label={<Mono>{visible(submission.externalReference)}</Mono>}
                    checked={isSelected(submission.submissionId)}
                    onChange={() => select(all, submission)}
                  />,
                  ...cellsOf(submission),
                ])}
              />
            </>
          )
        }
      </Revealed>
      {count > 0 ? (
        <Group mt="md">
          <Button variant="filled" onClick={onContinue}>
            {`Continue with ${withNoun(count, 'submission')}`}
          </Button>
        </Group>
      ) : null}
    </PanelFrame>
  );
}

const cellsOf = ({
  submissionId,
  contact,
  matched,
  accountId,
  environment,
  status,
  receivedAt,
  held,
  erasureId,
  erasedAt,
}: FoundSubmission) => [
  <span key="applicant" className="wrapped">
    {contact
      ? [contact.initials, contact.telephoneEnding ? `…${contact.telephoneEnding}` : '', contact.email]
          .filter((detail) => detail !== '')
          .map(visible)
          .join(', ')
      : 'Erased'}
  </span>,
  capitalize(matched.map((by) => enumName(PersonMatchSchema, by)).join(', ')),
  <SupplierName key="supplier" accountId={accountId} />,
  <EnvironmentBadge key="environment" environment={environment} />,
  <Group key="status" gap={4}>
    <StatusBadge status={status} />
    {held ? <Badge color="amber">On hold</Badge> : null}
    {erasureId === '' ? null : <Badge color="red">Erasing</Badge>}
    {erasedAt ? <Badge color="gray">Erased</Badge> : null}
  </Group>,
  <RelativeTime key="received" at={receivedAt} />,
  <SubmissionLink key="id" submissionId={submissionId} />,
];
