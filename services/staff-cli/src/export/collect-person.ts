import { create, type DescMethod, type JsonValue, type Message, type MessageShape } from '@bufbuild/protobuf';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Caller } from '../calls/caller.ts';
import { allPages } from '../calls/paging.ts';
import { CommandFailure } from '../exit-codes.ts';
import { jsonOf } from '../output/write-answer.ts';

/** By what a person is found, and why. */
export interface PersonWish {
  readonly email: string | undefined;
  readonly telephone: string | undefined;
  readonly purpose: string;
}

/** A file to fetch. */
export interface ExportedFile {
  readonly documentId: string;
  readonly contentType: string;
  readonly byteSize: number;
  readonly url: string;
}

/** One submission of the person, as each service has it. */
export interface CollectedSubmission {
  readonly submissionId: string;
  readonly submission: JsonValue;
  readonly documents: JsonValue;
  readonly deliveries: JsonValue[];
  readonly files: readonly ExportedFile[];
}

/** Everything of a person; `missing` says in a sentence each what could not be had. */
export interface CollectedPerson {
  readonly submissions: readonly CollectedSubmission[];
  readonly missing: readonly string[];
}

/** A submission has few events; what one export reads has a bound all the same. */
const MAX_EVENTS = 200;

/**
 * Asks every service for what it holds of a person: the submissions that state the email or telephone, their documents with
 * a URL for each that can be downloaded, and their deliveries. What a service refuses or cannot give is named as missing,
 * and the rest is collected. Throws a CommandFailure when the person cannot be looked for at all.
 */
export async function collectPerson(caller: Caller, wish: PersonWish): Promise<CollectedPerson> {
  const missing: string[] = [];
  const ask = <M extends DescMethod>(method: M, values: Values) =>
    caller.unary(method, requestOf(method, { ...values, purpose: wish.purpose })) as Promise<
      MessageShape<M['output']>
    >;
  async function unless<T>(what: string, otherwise: T, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CommandFailure)) throw error;
      missing.push(`${what}: ${error.message}`);
      return otherwise;
    }
  }

  const submissions: CollectedSubmission[] = [];
  for (const submissionId of await idsOf(caller, wish)) {
    const part = <T>(what: string, otherwise: T, work: () => Promise<T>) =>
      unless(`${what} of submission ${submissionId}`, otherwise, work);
    const submission = await part<JsonValue>('what the submission service holds', null, async () => {
      const { exportSubmission } = PrivacyService.method;
      return jsonOf(exportSubmission.output, await ask(exportSubmission, { submissionId }));
    });
    const files: ExportedFile[] = [];
    const documents = await part<JsonValue>('documents', null, async () => {
      const { listDocuments, downloadDocument } = DocumentService.method;
      const answer = await ask(listDocuments, { submissionId });
      for (const { documentId, contentType, byteSize, deletedAt } of answer.documents) {
        if (deletedAt) continue;
        await part(`document ${documentId}`, undefined, async () => {
          const { url } = await ask(downloadDocument, { documentId });
          files.push({ documentId, contentType, byteSize: Number(byteSize), url });
        });
      }
      return jsonOf(listDocuments.output, answer);
    });
    const deliveries: JsonValue[] = [];
    await part('deliveries', undefined, async () => {
      const { listEvents, getEvent } = WebhookService.method;
      const { events } = await ask(listEvents, { submissionId });
      if (events.length > MAX_EVENTS)
        missing.push(`all but ${MAX_EVENTS} deliveries of submission ${submissionId}`);
      for (const { eventId } of events.slice(0, MAX_EVENTS))
        deliveries.push(jsonOf(getEvent.output, await ask(getEvent, { eventId })));
    });
    submissions.push({ submissionId, submission, documents, deliveries, files });
  }
  return { submissions, missing };
}

async function idsOf(caller: Caller, { email, telephone, purpose }: PersonWish): Promise<string[]> {
  const { findPerson } = PrivacyService.method;
  const request = create(findPerson.input, {
    ...(email === undefined ? {} : { email }),
    ...(telephone === undefined ? {} : { telephone }),
    purpose,
  });
  const all = await allPages(findPerson.input, findPerson.output, request, (page) =>
    caller.unary(findPerson, page),
  );
  return (all as MessageShape<typeof findPerson.output>).submissions.map(({ submissionId }) => submissionId);
}

type Values = Readonly<Record<string, string>>;

/** Each value for which the request has a field: a purpose goes to every call that takes one. */
function requestOf({ input }: DescMethod, values: Values): Message {
  const known = input.fields.map(({ localName }) => localName);
  return create(input, Object.fromEntries(Object.entries(values).filter(([name]) => known.includes(name))));
}
