import { Button, Checkbox, TextInput } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { StatusSchema } from '@supplier/proto/common/v1/status';
import { type FoundSubmission, PersonMatchSchema } from '@supplier/proto/submission/v1/privacy';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { people } from '../calls.ts';
import { isPurpose, PurposeField } from '../components/purpose-field.tsx';
import { Revealed } from '../components/revealed.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { EnvironmentBadge } from '../components/status-badge.tsx';
import { useReveal } from '../components/use-reveal.ts';
import { enumName, formatTime } from '../format.ts';

const PAGE = 200;
/** Maximum submissions of one search, across its pages. */
const MOST_FOUND = 1_000;

/** The selected submissions. They contain no personal details, so they may outlast the search results. */
export interface Chosen {
  readonly selectedBy: string;
  readonly submissions: readonly FoundSubmission[];
}

/** Returns the submission without personal details. */
const withoutPerson = ({ contact: _, ...rest }: FoundSubmission): FoundSubmission => rest;

interface Found {
  readonly selectedBy: string;
  readonly submissions: readonly FoundSubmission[];
  readonly isAll: boolean;
}

/** Searches for submissions that may be of a person, shows them masked, and lets some of them be selected. */
export function FindPersonPanel({
  chosen,
  onChoose,
}: {
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}) {
  const [email, setEmail] = useState('');
  const [telephone, setTelephone] = useState('');
  const [purpose, setPurpose] = useState('');
  // The search terms are personal data, too, so they are discarded with the results.
  const forget = useCallback(() => {
    setEmail('');
    setTelephone('');
  }, []);
  const found = useReveal<Found>(forget);
  const stated = {
    ...(email.trim() ? { email: email.trim() } : {}),
    ...(telephone.trim() ? { telephone: telephone.trim() } : {}),
  };
  const names = Object.keys(stated);
  const isReady = names.length > 0 && isPurpose(purpose) && !found.isAsking;
  const isSelected = (id: string) => chosen.submissions.some(({ submissionId }) => submissionId === id);
  const choose = (submission: FoundSubmission, isWanted: boolean, { selectedBy }: Found) => {
    const others = chosen.submissions.filter(({ submissionId }) => submissionId !== submission.submissionId);
    onChoose({ selectedBy, submissions: isWanted ? [...others, withoutPerson(submission)] : others });
  };
  return (
    <section className="panel">
      <h2>Find</h2>
      <form
        className="asks"
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          if (!isReady) return;
          onChoose({ selectedBy: '', submissions: [] });
          found.show((signal) => find(stated, purpose.trim(), signal));
        }}
      >
        <TextInput
          label="Email"
          id="person-email"
          value={email}
          maxLength={320}
          onChange={(event) => setEmail(event.currentTarget.value)}
          autoComplete="off"
        />
        <TextInput
          label="Telephone"
          id="person-telephone"
          value={telephone}
          maxLength={40}
          onChange={(event) => setTelephone(event.currentTarget.value)}
          autoComplete="off"
        />
        <PurposeField value={purpose} onChange={setPurpose} />
        <Button type="submit" disabled={!isReady} loading={found.isAsking}>
          Find applicant
        </Button>
      </form>
      <Revealed of={found} label="Found">
        {(all) =>
          all.submissions.length === 0 ? (
            <p>No applicants found.</p>
          ) : (
            <>
              <p>
                Several people may share a telephone number or an email. Select only submissions of this
                person.
                {all.isAll ? '' : ` Only the first ${MOST_FOUND} are shown.`}
              </p>
              <ScrollRegion label="Table: found submissions">
                <table className="table" aria-label="Found submissions">
                  <thead>
                    <tr>
                      {HEADS.map((head) => (
                        <th scope="col" key={head}>
                          {head}
                        </th>
                      ))}
                    </tr>
                  </thead>
                  <tbody>
                    {all.submissions.map((submission) => (
                      <FoundRow
                        key={submission.submissionId}
                        submission={submission}
                        isSelected={isSelected(submission.submissionId)}
                        onChoose={(isWanted) => choose(submission, isWanted, all)}
                      />
                    ))}
                  </tbody>
                </table>
              </ScrollRegion>
            </>
          )
        }
      </Revealed>
    </section>
  );
}

async function find(
  stated: { email?: string; telephone?: string },
  purpose: string,
  signal: AbortSignal,
): Promise<Found> {
  const submissions: FoundSubmission[] = [];
  let pageToken = '';
  do {
    const page = await people.findPerson({ ...stated, purpose, pageSize: PAGE, pageToken }, { signal });
    submissions.push(...page.submissions);
    pageToken = page.nextPageToken;
  } while (pageToken !== '' && submissions.length < MOST_FOUND);
  return {
    selectedBy: `chosen among what states this ${Object.keys(stated).join(' or this ')}`,
    submissions,
    isAll: pageToken === '',
  };
}

const HEADS = [
  'chosen',
  'submission',
  'environment',
  'reference',
  'status',
  'received',
  'matched',
  'whose',
  'held',
  'erased',
];

interface FoundRowProps {
  readonly submission: FoundSubmission;
  readonly isSelected: boolean;
  readonly onChoose: (isWanted: boolean) => void;
}

const FoundRow = ({ submission, isSelected, onChoose }: FoundRowProps) => {
  const { submissionId, contact, erasureId, erasedAt } = submission;
  return (
    <tr>
      <td>
        <Checkbox
          className="alone"
          aria-label={`Choose ${submissionId}`}
          checked={isSelected}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      </td>
      <th scope="row">
        <Link to="/submissions/$submissionId" params={{ submissionId }}>
          {submissionId}
        </Link>
      </th>
      <td>
        <EnvironmentBadge environment={submission.environment} />
      </td>
      <td>{visible(submission.externalReference)}</td>
      <td>{enumName(StatusSchema, submission.status)}</td>
      <td>{formatTime(submission.receivedAt)}</td>
      <td>{submission.matched.map((by) => enumName(PersonMatchSchema, by)).join(', ')}</td>
      <td>
        {contact
          ? [contact.initials, contact.telephoneEnding ? `…${contact.telephoneEnding}` : '', contact.email]
              .filter((part) => part !== '')
              .map(visible)
              .join(', ')
          : 'nothing is left'}
      </td>
      <td>{submission.held ? 'held' : 'no'}</td>
      <td>{erasedAt ? formatTime(erasedAt) : erasureId === '' ? 'no' : 'under way'}</td>
    </tr>
  );
};
