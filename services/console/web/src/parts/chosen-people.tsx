import { Alert, Button } from '@mantine/core';
import { Environment } from '@supplier/proto/common/v1/status';
import { PersonMatchSchema } from '@supplier/proto/submission/v1/privacy';
import { useState } from 'react';
import { EraseAction } from '../actions/erase.tsx';
import { HoldAction, ReleaseHoldAction } from '../actions/hold.tsx';
import { useFrozen } from '../actions/use-frozen.ts';
import { isPurpose, PurposeField } from '../components/purpose-field.tsx';
import { Revealed } from '../components/revealed.tsx';
import { useReveal } from '../components/use-reveal.ts';
import { exportPerson, MOST_EXPORTED, type PersonExport } from '../export-person.ts';
import { enumName } from '../format.ts';
import { saveFile } from '../save-file.ts';
import type { Chosen } from './find-person.tsx';

/** The available actions on a person's selected submissions. */
export function ChosenPeoplePanel({ chosen: present }: { readonly chosen: Chosen }) {
  const [chosen, onOpen] = useFrozen(present);
  const { submissions } = chosen;
  if (submissions.length === 0) return null;
  const ids = submissions.map(({ submissionId }) => submissionId);
  const acts = {
    submissionIds: ids,
    whose: submissions.map(({ externalReference }) => externalReference).join(', '),
    environment: submissions.some(({ environment }) => environment === Environment.PRODUCTION)
      ? Environment.PRODUCTION
      : Environment.SANDBOX,
    onOpen,
  };
  return (
    <section className="panel">
      <h2>Selected: {submissions.length}</h2>
      <ul>
        {ids.map((id) => (
          <li key={id}>{id}</li>
        ))}
      </ul>
      {submissions.length > MOST_EXPORTED ? (
        <p role="alert">At most {MOST_EXPORTED} can be processed together. Select fewer.</p>
      ) : (
        <>
          <Export key={ids.join()} chosen={chosen} />
          <fieldset className="actions">
            <legend>Actions</legend>
            <HoldAction {...acts} />
            <ReleaseHoldAction {...acts} />
            <EraseAction {...acts} />
          </fieldset>
        </>
      )}
    </section>
  );
}

/**
 * Collects all data stored about a person, shows what is missing and whether names differ, and then offers it as a
 * file.
 */
function Export({ chosen: { selectedBy, submissions } }: { readonly chosen: Chosen }) {
  const [purpose, setPurpose] = useState('');
  const collected = useReveal<PersonExport>();
  const isReady = isPurpose(purpose) && !collected.isAsking;
  const chosen = submissions.map(({ submissionId, matched }) => ({
    submissionId,
    matched: matched.map((by) => enumName(PersonMatchSchema, by)),
  }));
  return (
    <>
      <form
        className="asks"
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) collected.show((signal) => exportPerson(chosen, selectedBy, purpose.trim(), signal));
        }}
      >
        <PurposeField value={purpose} onChange={setPurpose} />
        <Button type="submit" disabled={!isReady} loading={collected.isAsking}>
          Collect data
        </Button>
      </form>
      <Revealed of={collected} label="Collected data">
        {({ count, namesDiffer, missing, json }) => (
          <>
            <p>Collected all data of {count === 1 ? 'one submission' : `${count} submissions`}.</p>
            {namesDiffer.length === 0 ? null : (
              <Alert color="red" role="alert">
                <p>
                  <strong>The names differ</strong>
                </p>
                <p>Check that they are the same person before you share the file. Submissions by name:</p>
                <ul>
                  {namesDiffer.map((ids) => (
                    <li key={ids.join()}>{ids.join(', ')}</li>
                  ))}
                </ul>
              </Alert>
            )}
            {missing.length === 0 ? null : (
              <Alert color="yellow" role="note">
                <p>
                  <strong>Not in the file</strong>
                </p>
                <ul>
                  {missing.map((what) => (
                    <li key={what}>{what}</li>
                  ))}
                </ul>
              </Alert>
            )}
            <Button
              onClick={() => {
                saveFile('export.json', 'application/json', [json]);
                collected.hide();
              }}
            >
              {namesDiffer.length === 0 ? 'Save the file' : 'Save the file despite different names'}
            </Button>
          </>
        )}
      </Revealed>
    </>
  );
}
