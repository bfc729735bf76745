import { type DescMessage, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { namesOf, namesThatDiffer } from '@supplier/lib/text/applicant-names';
import { withSpelledEnums } from '@supplier/lib/text/enum-spelling';
import { ListDocumentsResponseSchema } from '@supplier/proto/document/v1/document';
import { ExportedSubmissionSchema } from '@supplier/proto/submission/v1/export_submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { documents, errorMessage, isLoggedOut, people, webhooks } from '../../calls.ts';
import { deliveriesOf } from './deliveries-of.ts';

/** A selected submission, and which of the search terms it matched: "email", "telephone". */
export interface ChosenSubmission {
  readonly submissionId: string;
  readonly matched: readonly string[];
}

/** All data stored about a person in the format of `sss people export`, and what is missing from it. */
export interface PersonExport {
  readonly count: number;
  /** Groups of submission ids by applicant name. Empty when all names match. */
  readonly namesDiffer: readonly (readonly string[])[];
  readonly missing: readonly string[];
  /** The content of the file. */
  readonly json: string;
}

/** The same limit as `sss people export`. */
export const MAX_EXPORTED = 100;

/**
 * Collects all data the services store about these submissions, except the contents of documents, which pages of the
 * console can't read. Parts that a service refuses or can't return are listed as missing. Rejects when the login is
 * over or the signal aborts.
 *
 * @param selectedBy how the submissions were selected, in words
 */
export async function exportPerson(
  chosen: readonly ChosenSubmission[],
  selectedBy: string,
  purpose: string,
  signal: AbortSignal,
): Promise<PersonExport> {
  const missing: string[] = [];
  const submissions = [];
  for (const { submissionId, matched } of chosen.slice(0, MAX_EXPORTED)) {
    const request = { submissionId, purpose };
    const part = async <T>(what: string, ask: () => Promise<T>): Promise<T | undefined> => {
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
