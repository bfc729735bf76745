import { Button, Checkbox, FormGroup, InputGroup } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import { StatusSchema } from '@supplier/proto/common/v1/status';
import { type FoundSubmission, PersonMatchSchema } from '@supplier/proto/submission/v1/privacy';
import { Link } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { people } from '../calls.ts';
import { timeOf, wordOf } from '../words.ts';
import { useBriefly } from './briefly.ts';
import { EnvironmentMark } from './marks.tsx';
import { isPurpose, Purpose } from './purpose.tsx';
import { Scrolled } from './scrolled.tsx';
import { ShownBriefly } from './shown-briefly.tsx';

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
export function FindPersonPart({
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
  const found = useBriefly<Found>(forget);
  const stated = {
    ...(email.trim() ? { email: email.trim() } : {}),
    ...(telephone.trim() ? { telephone: telephone.trim() } : {}),
  };
  const names = Object.keys(stated);
  const isReady = names.length > 0 && isPurpose(purpose) && !found.isAsking;
  const isChosen = (id: string) => chosen.submissions.some(({ submissionId }) => submissionId === id);
  const choose = (submission: FoundSubmission, isWanted: boolean, { selectedBy }: Found) => {
    const others = chosen.submissions.filter(({ submissionId }) => submissionId !== submission.submissionId);
    onChoose({ selectedBy, submissions: isWanted ? [...others, withoutPerson(submission)] : others });
  };
  return (
    <section className="part">
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
        <FormGroup label="Email" labelFor="person-email">
          <InputGroup
            id="person-email"
            value={email}
            maxLength={320}
            onValueChange={setEmail}
            autoComplete="off"
          />
        </FormGroup>
        <FormGroup label="Telephone" labelFor="person-telephone">
          <InputGroup
            id="person-telephone"
            value={telephone}
            maxLength={40}
            onValueChange={setTelephone}
            autoComplete="off"
          />
        </FormGroup>
        <Purpose value={purpose} onChange={setPurpose} />
        <Button type="submit" disabled={!isReady} loading={found.isAsking}>
          Find the person
        </Button>
      </form>
      <ShownBriefly of={found} label="Found">
        {(all) =>
          all.submissions.length === 0 ? (
            <p>Nobody is found by that.</p>
          ) : (
            <>
              <p>
                Others may share a telephone or an address: choose what is the person’s.
                {all.isAll ? '' : ` There are more than these ${MOST_FOUND}.`}
              </p>
              <Scrolled label="Found submissions, a table that scrolls">
                <table className="bp6-html-table bp6-compact" aria-label="Found submissions">
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
                        isChosen={isChosen(submission.submissionId)}
                        onChoose={(isWanted) => choose(submission, isWanted, all)}
                      />
                    ))}
                  </tbody>
                </table>
              </Scrolled>
            </>
          )
        }
      </ShownBriefly>
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
  readonly isChosen: boolean;
  readonly onChoose: (isWanted: boolean) => void;
}

const FoundRow = ({ submission, isChosen, onChoose }: FoundRowProps) => {
  const { submissionId, contact, erasureId, erasedAt } = submission;
  return (
    <tr>
      <td>
        <Checkbox
          className="alone"
          aria-label={`Choose ${submissionId}`}
          checked={isChosen}
          onChange={(event) => onChoose(event.currentTarget.checked)}
        />
      </td>
      <th scope="row">
        <Link to="/submissions/$submissionId" params={{ submissionId }}>
          {submissionId}
        </Link>
      </th>
      <td>
        <EnvironmentMark environment={submission.environment} />
      </td>
      <td>{visible(submission.externalReference)}</td>
      <td>{wordOf(StatusSchema, submission.status)}</td>
      <td>{timeOf(submission.receivedAt)}</td>
      <td>{submission.matched.map((by) => wordOf(PersonMatchSchema, by)).join(', ')}</td>
      <td>
        {contact
          ? [contact.initials, contact.telephoneEnding ? `…${contact.telephoneEnding}` : '', contact.email]
              .filter((part) => part !== '')
              .map(visible)
              .join(', ')
          : 'nothing is left'}
      </td>
      <td>{submission.held ? 'held' : 'no'}</td>
      <td>{erasedAt ? timeOf(erasedAt) : erasureId === '' ? 'no' : 'under way'}</td>
    </tr>
  );
};
