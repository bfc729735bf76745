import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { Environment } from '@supplier/proto/common/v1/status';
import { PersonMatchSchema } from '@supplier/proto/submission/v1/privacy';
import { useFrozen } from '../../actions/use-frozen.ts';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { SubmissionTable } from '../../components/submission-table.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { enumName, withNoun } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import type { Selection } from './check-matches.tsx';
import { EraseAction } from './erase.tsx';
import { exportPerson, MAX_EXPORTED, type PersonExport } from './export-person.ts';
import { HoldAction, ReleaseHoldAction } from './hold.tsx';

interface SelectedSubmissionsProps {
  readonly selection: Selection;
  readonly onErased: (erasureId: string) => void;
}

/** A person's selected submissions, and what can be done with them. */
export function SelectedSubmissions({ selection: present, onErased }: SelectedSubmissionsProps) {
  const [selection, onOpen] = useFrozen(present);
  const { submissions } = selection;
  const applicants = {
    submissionIds: submissions.map(({ submissionId }) => submissionId),
    references: submissions.map(({ externalReference }) => externalReference).join(', '),
    environment: submissions.some(({ environment }) => environment === Environment.PRODUCTION)
      ? Environment.PRODUCTION
      : Environment.SANDBOX,
    onOpen,
  };
  return (
    <Stack gap="md">
      <PanelFrame title="Selected submissions" isFlush>
        <SubmissionTable label="Selected submissions" submissions={submissions} />
      </PanelFrame>
      {submissions.length > MAX_EXPORTED ? (
        <Alert color="yellow">{`At most ${MAX_EXPORTED} can be processed together. Go back and select fewer.`}</Alert>
      ) : (
        <>
          <ExportPanel key={applicants.submissionIds.join()} selection={selection} />
          <PanelFrame title="Hold or erase">
            <Text size="sm" c="dimmed" mb="sm">
              A legal hold prevents erasure. Erasing can’t be undone.
            </Text>
            <Group gap="xs">
              <HoldAction {...applicants} />
              <ReleaseHoldAction {...applicants} />
              <EraseAction {...applicants} onErased={onErased} />
            </Group>
          </PanelFrame>
        </>
      )}
    </Stack>
  );
}

/**
 * Collects all data stored about a person, shows what is missing and whether names differ, and then offers it as a
 * file.
 */
function ExportPanel({ selection: { selectedBy, submissions } }: { readonly selection: Selection }) {
  const collected = useReveal<PersonExport>();
  const selected = submissions.map(({ submissionId, matched }) => ({
    submissionId,
    matched: matched.map((by) => enumName(PersonMatchSchema, by)),
  }));
  return (
    <PanelFrame title="Export">
      <Text size="sm" c="dimmed" mb="sm">
        For a subject access request. Check the data here, then save the file.
      </Text>
      <PurposeForm
        isReady={!collected.isAsking}
        onSubmit={(purpose) =>
          collected.show((signal) => exportPerson(selected, selectedBy, purpose, signal))
        }
      >
        {(purpose) => (
          <Button type="submit" disabled={purpose === undefined} loading={collected.isAsking}>
            Collect data
          </Button>
        )}
      </PurposeForm>
      <Revealed of={collected} label="Collected data">
        {({ count, namesDiffer, missing, json }) => (
          <Stack gap="sm" align="start">
            <Text size="sm">{`Collected all data of ${withNoun(count, 'submission')}.`}</Text>
            {namesDiffer.length === 0 ? null : (
              <Alert color="red" title="The names differ">
                Check that they are the same person before you share the file. Submissions by name:
                <List size="sm">
                  {namesDiffer.map((ids) => (
                    <List.Item key={ids.join()}>{ids.join(', ')}</List.Item>
                  ))}
                </List>
              </Alert>
            )}
            {missing.length === 0 ? null : (
              <Alert color="yellow" role="note" title="Not in the file">
                <List size="sm">
                  {missing.map((what) => (
                    <List.Item key={what}>{what}</List.Item>
                  ))}
                </List>
              </Alert>
            )}
            <Button
              variant="filled"
              onClick={() => {
                saveFile('export.json', 'application/json', [json]);
                collected.hide();
              }}
            >
              {namesDiffer.length === 0 ? 'Save the file' : 'Save the file despite different names'}
            </Button>
          </Stack>
        )}
      </Revealed>
    </PanelFrame>
  );
}
