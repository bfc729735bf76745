import { Button, Callout } from '@blueprintjs/core';
import { Environment } from '@supplier/proto/common/v1/status';
import { PersonMatchSchema } from '@supplier/proto/submission/v1/privacy';
import { useState } from 'react';
import { useBegun } from '../acts/begun.ts';
import { EraseAct } from '../acts/erase.tsx';
import { HoldAct, ReleaseHoldAct } from '../acts/hold.tsx';
import { exportPerson, MOST_EXPORTED, type PersonExport } from '../export-person.ts';
import { saveFile } from '../save-file.ts';
import { wordOf } from '../words.ts';
import { useBriefly } from './briefly.ts';
import type { Chosen } from './find-person.tsx';
import { isPurpose, Purpose } from './purpose.tsx';
import { ShownBriefly } from './shown-briefly.tsx';

/** The available actions on a person's selected submissions. */
export function ChosenPeoplePart({ chosen: present }: { readonly chosen: Chosen }) {
  const [chosen, onOpen] = useBegun(present);
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
    <section className="part">
      <h2>Chosen: {submissions.length}</h2>
      <ul>
        {ids.map((id) => (
          <li key={id}>{id}</li>
        ))}
      </ul>
      {submissions.length > MOST_EXPORTED ? (
        <p role="alert">At most {MOST_EXPORTED} can be worked on at once: choose fewer.</p>
      ) : (
        <>
          <Export key={ids.join()} chosen={chosen} />
          <fieldset className="acts">
            <legend>What you can do</legend>
            <HoldAct {...acts} />
            <ReleaseHoldAct {...acts} />
            <EraseAct {...acts} />
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
  const collected = useBriefly<PersonExport>();
  const isReady = isPurpose(purpose) && !collected.isAsking;
  const chosen = submissions.map(({ submissionId, matched }) => ({
    submissionId,
    matched: matched.map((by) => wordOf(PersonMatchSchema, by)),
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
        <Purpose value={purpose} onChange={setPurpose} />
        <Button type="submit" disabled={!isReady} loading={collected.isAsking}>
          Collect what is held
        </Button>
      </form>
      <ShownBriefly of={collected} label="What is held">
        {({ count, namesDiffer, missing, json }) => (
          <>
            <p>Everything of {count === 1 ? 'one submission' : `${count} submissions`} is collected.</p>
            {namesDiffer.length === 0 ? null : (
              <Callout intent="danger" role="alert">
                <p>
                  <strong>The names differ</strong>
                </p>
                <p>Give nothing away before you know that they are one person. Of one name each:</p>
                <ul>
                  {namesDiffer.map((ids) => (
                    <li key={ids.join()}>{ids.join(', ')}</li>
                  ))}
                </ul>
              </Callout>
            )}
            {missing.length === 0 ? null : (
              <Callout intent="warning">
                <p>
                  <strong>Not in the file</strong>
                </p>
                <ul>
                  {missing.map((what) => (
                    <li key={what}>{what}</li>
                  ))}
                </ul>
              </Callout>
            )}
            <Button
              onClick={() => {
                saveFile('export.json', 'application/json', [json]);
                collected.hide();
              }}
            >
              {namesDiffer.length === 0 ? 'Save the file' : 'Save the file although the names differ'}
            </Button>
          </>
        )}
      </ShownBriefly>
    </>
  );
}
