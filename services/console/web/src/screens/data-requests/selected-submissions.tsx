import { type DescMessage, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { Alert, Button, Group, List, Stack, Text } from '@mantine/core';
import { namesOf, namesThatDiffer } from '@supplier/lib/text/applicant-names';
import { withSpelledEnums } from '@supplier/lib/text/enum-spelling';
import { Environment } from '@supplier/proto/common/v1/status';
import { ListDocumentsResponseSchema } from '@supplier/proto/document/v1/document';
import { ExportedSubmissionSchema } from '@supplier/proto/submission/v1/export_submission';
import { PersonMatchSchema } from '@supplier/proto/submission/v1/privacy';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useFrozen } from '../../actions/use-frozen.ts';
import { documents, errorMessage, isLoggedOut, people, webhooks } from '../../calls.ts';
import { PanelFrame } from '../../components/panel.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { SubmissionTable } from '../../components/submission-table.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { enumName, withNoun } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import type { Selection } from './check-matches.tsx';
import { deliveriesOf } from './deliveries-of.ts';
import { EraseAction } from './erase.tsx';
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
        isBusy={collected.isAsking}
        actions={[
          {
            name: 'Collect data',
            run: (purpose) => collected.show((signal) => exportPerson(selected, selectedBy, purpose, signal)),
          },
        ]}
      />
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

/** A selected submission, and which of the search terms it matched: "email", "telephone". */
interface ChosenSubmission {
  readonly submissionId: string;
  readonly matched: readonly string[];
}

/** All data stored about a person in the format of `sss people export`, and what is missing from it. */
interface PersonExport {
  readonly count: number;
  /** Groups of submission ids by applicant name. Empty when all names match. */
  readonly namesDiffer: readonly (readonly string[])[];
  readonly missing: readonly string[];
  /** The content of the file. */
  readonly json: string;
}

/** The same limit as `sss people export`. */
const MAX_EXPORTED = 100;

/**
 * Collects all data the services store about these submissions, except the contents of documents, which pages of the
 * console can't read. Parts that a service refuses or can't return are listed as missing. Rejects when the login is
 * over or the signal aborts.
 *
 * @param selectedBy how the submissions were selected, in words
 */
async function exportPerson(
  chosen: readonly ChosenSubmission[],
  selectedBy: string,
  purpose: string,
  signal: AbortSignal,
): Promise<PersonExport> {
  const missing: string[] = [];
  const submissions = [];
  for (const { submissionId, matched } of chosen.slice(0, MAX_EXPORTED)) {
    const request = { submissionId, purpose };
    const part = async <T,>(what: string, ask: () => Promise<T>): Promise<T | undefined> => {
      try {
        return await ask();
      } catch (error) {
        if (signal.aborted || isLoggedOut(error)) throw error;
        missing.push(`${what} of submission ${submissionId}: ${errorMessage(error)}`);
        return undefined;
      }
    };
    const held = await part('submission data', () => people.exportSubmission(request, { signal }));
    const sent = await part('documents', () => documents.listDocuments(request, { signal }));
    for (const { documentId, deletedAt } of sent?.documents ?? [])
      if (!deletedAt)
        missing.push(
          `document ${documentId}: the file is not included. Download it on the submission’s screen, or run sss people export.`,
        );
    const deliveries: JsonValue[] = [];
    await part('deliveries', async () => {
      const { events } = await webhooks.listEvents({ submissionId }, { signal });
      const { included, leftOut } = deliveriesOf(submissionId, events);
      missing.push(...leftOut);
      for (const { eventId } of included)
        deliveries.push(
          jsonOf(
            WebhookService.method.getEvent.output,
            await webhooks.getEvent({ eventId, purpose }, { signal }),
          ),
        );
    });
    submissions.push({
      submissionId,
      names: held ? namesOf(held) : [],
      written: {
        matched,
        submission: held ? jsonOf(ExportedSubmissionSchema, held) : null,
        documents: sent ? jsonOf(ListDocumentsResponseSchema, sent) : null,
        files: [],
        deliveries,
      },
    });
  }
  const namesDiffer = namesThatDiffer(submissions);
  const content = {
    exportedAt: new Date().toISOString(),
    selectedBy,
    namesDiffer,
    missing,
    submissions: submissions.map(({ written }) => written),
  };
  return {
    count: submissions.length,
    namesDiffer,
    missing,
    json: `${JSON.stringify(content, null, 2)}\n`,
  };
}

/** Formats a message like the commands do, including false, zero and empty values. */
const jsonOf = (schema: DescMessage, message: Message): JsonValue =>
  withSpelledEnums(schema, toJson(schema, message, { alwaysEmitImplicit: true }));
