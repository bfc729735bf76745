import { create, type DescMethod, type JsonValue, type Message, type MessageShape } from '@bufbuild/protobuf';
import { namesOf } from '@supplier/lib/text/applicant-names';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ExportedSubmissionSchema } from '@supplier/proto/submission/v1/export_submission';
import { PersonMatch, PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Caller } from '../calls/caller.ts';
import { allPages } from '../calls/paging.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { jsonOf } from '../output/write-answer.ts';

/** Selects submissions by id, or by all the details given. `purpose` is recorded in the audit log. */
export type PersonQuery = (SubmissionSelection | ContactDetails) & { readonly purpose: string };

export interface SubmissionSelection {
  /** From 1 to 100. */
  readonly submissionIds: readonly string[];
}

export interface ContactDetails {
  readonly email: string | undefined;
  readonly telephone: string | undefined;
}

export interface ExportedFile {
  readonly documentId: string;
  readonly contentType: string;
  readonly byteSize: number;
  readonly url: string;
}

/** One of the person's submissions, as stored by each service. */
export interface CollectedSubmission {
  readonly submissionId: string;
  /** The search terms that it matches. Empty when the submission was named by id. */
  readonly matched: readonly string[];
  /** Names in the enquiry, each correction and the promotion, ignoring case and spaces. Empty when they were erased. */
  readonly names: readonly string[];
  readonly submission: JsonValue;
  readonly documents: JsonValue;
  readonly deliveries: JsonValue[];
  readonly files: readonly ExportedFile[];
}

/** All data about a person. `missing` has one sentence for each part that could not be read. */
export interface CollectedPerson {
  /** How the submissions were selected, in words. */
  readonly selectedBy: string;
  /**
   * Number of submissions that match only one of two details. They are left out, because they may belong to another
   * person.
   */
  readonly leftOut: number;
  readonly submissions: readonly CollectedSubmission[];
  readonly missing: readonly string[];
}

/** Bounds one export. A submission usually has few events. */
const MAX_EVENTS = 200;
/** The same as the maximum number of ids. */
const MAX_CANDIDATES = 100;

/**
 * Collects the data that every service stores about a person: the selected submissions, their documents with a URL for
 * each that can be downloaded, and their deliveries. A submission must match both the email and the telephone, because
 * other people may share either. If only one is given, a single submission must match it. Parts that a service refuses
 * or can't return are listed as missing. Throws a CommandFailure when the search fails.
 */
export async function collectPerson(caller: Caller, query: PersonQuery): Promise<CollectedPerson> {
  const missing: string[] = [];
  const ask = <M extends DescMethod>(method: M, values: Values) =>
    caller.unary(method, requestOf(method, { ...values, purpose: query.purpose })) as Promise<
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
  const { found, ...selection } = await select(caller, query);
  for (const { submissionId, matched } of found) {
    const part = <T>(what: string, otherwise: T, work: () => Promise<T>) =>
      unless(`${what} of submission ${submissionId}`, otherwise, work);
    const held = await part('data of the submission service', undefined, () =>
      ask(PrivacyService.method.exportSubmission, { submissionId }),
    );
    const submission = held ? jsonOf(ExportedSubmissionSchema, held) : null;
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
        missing.push(`deliveries after the first ${MAX_EVENTS} of submission ${submissionId}`);
      for (const { eventId } of events.slice(0, MAX_EVENTS))
        deliveries.push(jsonOf(getEvent.output, await ask(getEvent, { eventId })));
    });
    const names = held ? namesOf(held) : [];
    submissions.push({ submissionId, matched, names, submission, documents, deliveries, files });
  }
  return { ...selection, submissions, missing };
}

interface Selection {
  readonly selectedBy: string;
  readonly leftOut: number;
  readonly found: readonly { readonly submissionId: string; readonly matched: readonly string[] }[];
}

async function select(caller: Caller, query: PersonQuery): Promise<Selection> {
  if ('submissionIds' in query) {
    const found = query.submissionIds.map((submissionId) => ({ submissionId, matched: [] }));
    return { selectedBy: 'submission ids', leftOut: 0, found };
  }
  const { email, telephone, purpose } = query;
  const { findPerson } = PrivacyService.method;
  const request = create(findPerson.input, {
    ...(email === undefined ? {} : { email }),
    ...(telephone === undefined ? {} : { telephone }),
    purpose,
  });
  const answer = (await allPages(findPerson.input, findPerson.output, request, (page) =>
    caller.unary(findPerson, page),
  )) as MessageShape<typeof findPerson.output>;
  const all = answer.submissions.map(({ submissionId, matched }) => ({
    submissionId,
    matched: matched.map((by) => PersonMatch[by].toLowerCase()),
  }));
  if (email === undefined || telephone === undefined) {
    if (all.length > 1)
      throw new CommandFailure(
        exitCodes.refused,
        `${all.length} submissions have it, and may belong to several people: check with \`sss people find\`, and give the ids of those that belong to the person`,
        all.slice(0, MAX_CANDIDATES).map(({ submissionId }) => submissionId),
      );
    return { selectedBy: email === undefined ? 'telephone' : 'email', leftOut: 0, found: all };
  }
  if (all.some(({ matched }) => matched.length === 0)) {
    const message =
      "the submission service is too old to report what matched: give the ids of the person's submissions";
    throw new CommandFailure(exitCodes.refused, message);
  }
  const found = all.filter(({ matched }) => matched.length === 2);
  return { selectedBy: 'both email and telephone', leftOut: all.length - found.length, found };
}

type Values = Readonly<Record<string, string>>;

/** Builds a request from the values it has fields for, so that every call that takes a purpose gets it. */
function requestOf({ input }: DescMethod, values: Values): Message {
  const known = input.fields.map(({ localName }) => localName);
  return create(input, Object.fromEntries(Object.entries(values).filter(([name]) => known.includes(name))));
}
