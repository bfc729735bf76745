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
import { DATA_REQUESTS } from './data-requests-texts.ts';
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
    <PanelFrame title={DATA_REQUESTS.check}>
      <Text size="sm" c="dimmed" mb="sm">
        {DATA_REQUESTS.checkHint}
      </Text>
      <Revealed of={found} label={DATA_REQUESTS.found}>
        {(all) =>
          all.submissions.length === 0 ? (
            <p>{DATA_REQUESTS.noMatch}</p>
          ) : (
            <>
              {all.isComplete ? null : <p>{DATA_REQUESTS.limit(MAX_FOUND)}</p>}
              <SimpleTable
                label={DATA_REQUESTS.found}
                heads={[
                  DATA_REQUESTS.reference,
                  DATA_REQUESTS.applicant,
                  DATA_REQUESTS.matched,
                  DATA_REQUESTS.supplier,
                  DATA_REQUESTS.environment,
                  DATA_REQUESTS.status,
                  DATA_REQUESTS.received,
                  DATA_REQUESTS.id,
                ]}
                minor={[DATA_REQUESTS.received]}
                rows={all.submissions.map((submission) => [
                  <Checkbox
                    key="select"
                    size="xs"
                    aria-label={DATA_REQUESTS.select(submission.submissionId)}
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
            {DATA_REQUESTS.continue(withNoun(count, 'submission'))}
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
      : DATA_REQUESTS.erased}
  </span>,
  capitalize(matched.map((by) => enumName(PersonMatchSchema, by)).join(', ')),
  <SupplierName key="supplier" accountId={accountId} />,
  <EnvironmentBadge key="environment" environment={environment} />,
  <Group key="status" gap={4}>
    <StatusBadge status={status} />
    {held ? <Badge color="amber">{DATA_REQUESTS.held}</Badge> : null}
    {erasureId === '' ? null : <Badge color="red">{DATA_REQUESTS.erasing}</Badge>}
    {erasedAt ? <Badge color="gray">{DATA_REQUESTS.erased}</Badge> : null}
  </Group>,
  <RelativeTime key="received" at={receivedAt} />,
  <SubmissionLink key="id" submissionId={submissionId} />,
];
