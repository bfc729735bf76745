import type { JsonValue } from '@bufbuild/protobuf';
import { namesThatDiffer } from '@supplier/lib/text/applicant-names';
import { visibleLines } from '@supplier/lib/text/visible';
import { FindPersonRequestSchema } from '@supplier/proto/submission/v1/privacy';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import {
  type CollectedPerson,
  type ContactDetails,
  collectPerson,
  type ExportedFile,
  type SubmissionSelection,
} from '../export/collect-person.ts';
import { type ExportFolder, openExportFolder } from '../export/export-folder.ts';
import { exportPage } from '../export/export-page.ts';
import { idArgument } from '../flags/parse-value.ts';
import { readRequest } from '../flags/request-file.ts';
import { personalDetails, warnOfFlags } from '../personal-details.ts';
import { confirm } from '../run-command.ts';
import { type CommonFlags, inSession, type Runtime } from '../session.ts';

export interface ExportFlags extends CommonFlags {
  readonly email?: string;
  readonly telephone?: string;
  /** A file with `email` and `telephone`, instead of the flags. */
  readonly fromJson?: string;
  readonly purpose: string;
  /** Writes the export even if names differ. */
  readonly yes?: boolean;
  /** A directory that does not exist or is empty. */
  readonly out: string;
}

const ENDINGS: Readonly<Record<string, string>> = {
  'application/pdf': '.pdf',
  'image/jpeg': '.jpg',
  'image/png': '.png',
  'text/csv': '.csv',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': '.xlsx',
};
const DOWNLOAD_MS = 60_000;

const DIFFERENT_NAMES = 'The export will contain the data of all these names.';
const MAX_SUBMISSIONS = 100;

/**
 * Writes all data stored about a person into a new directory: `export.json`, the same as a page to read and print, and
 * the documents. The submissions are named by id or found by the person's details. If names differ, it asks for
 * confirmation and writes nothing without it. Both files list what could not be read, and the command then fails after
 * writing the rest. Nothing is written when no submission is found.
 */
export async function exportPerson(
  submissionIds: readonly string[],
  flags: ExportFlags,
  runtime: Runtime,
): Promise<void> {
  const { purpose, out } = flags;
  const { terminal, now, signal } = runtime;
  const query = await personQueryOf(submissionIds, flags, runtime);
  await inSession(flags, runtime, async (session) => {
    const { caller } = session;
    const folder = openExportFolder(out);
    let isWritten = false;
    try {
      const person = await collectPerson(caller, { ...query, purpose });
      if (person.submissions.length === 0)
        throw new CommandFailure(
          exitCodes.notFound,
          `no submission has ${describeQuery(query)}`,
          othersOf(person),
        );
      const warnings = warningsOf(person);
      for (const line of [...othersOf(person), ...warnings]) terminal.note(line);
      if (warnings.length > 0)
        await confirm({ name: 'people export', irreversible: DIFFERENT_NAMES }, flags, session, runtime);
      const missing = [...person.missing, ...(await saveFiles(folder, person, signal))];
      const content = contentOf(person, missing, now());
      folder.write('export.json', visibleLines(`${JSON.stringify(content, null, 2)}\n`));
      folder.write('export.html', exportPage('Data we hold about you', sectionsOf(person, missing, now())));
      isWritten = true;
      const count = person.submissions.length;
      terminal.note(
        `${count} submission${count === 1 ? '' : 's'} written to ${out}: send it securely, then delete it`,
      );
      if (missing.length > 0)
        throw new CommandFailure(exitCodes.unavailable, 'the export is incomplete', missing);
    } finally {
      if (!isWritten) folder.remove();
    }
  });
}

/**
 * Returns the ids or details that identify the person, from the arguments, the file, the flags, or questions at the
 * terminal.
 */
async function personQueryOf(
  submissionIds: readonly string[],
  { email, telephone, fromJson }: ExportFlags,
  runtime: Runtime,
): Promise<SubmissionSelection | ContactDetails> {
  if (submissionIds.length > 0) {
    const hasContactFlags = [email, telephone, fromJson].some((flag) => flag !== undefined);
    failIf(hasContactFlags, 'give either submission ids, or email and telephone');
    failIf(submissionIds.length > MAX_SUBMISSIONS, `give at most ${MAX_SUBMISSIONS} submission ids`);
    return {
      submissionIds: [...new Set(submissionIds.map((id) => idArgument('SUBMISSION_ID', id).toLowerCase()))],
    };
  }
  const file = fromJson === undefined ? {} : readRequest(FindPersonRequestSchema, fromJson);
  const contact = { email: textOf(file.email) ?? email, telephone: textOf(file.telephone) ?? telephone };
  if (fromJson !== undefined) {
    warnOfFlags(
      Object.entries({ email, telephone }).flatMap(([name, value]) => (value === undefined ? [] : [name])),
      runtime,
    );
    return contact;
  }
  const details = await personalDetails('people export', ['email', 'telephone'], contact, runtime);
  return { email: details.email, telephone: details.telephone };
}

function failIf(isWrong: boolean, message: string): void {
  if (isWrong) throw new CommandFailure(exitCodes.usage, message);
}

function describeQuery(query: SubmissionSelection | ContactDetails): string {
  if ('submissionIds' in query) return 'that';
  return query.email !== undefined && query.telephone !== undefined
    ? 'both this email and this telephone'
    : 'this email or telephone';
}

/** Submissions that match only one detail may belong to another person who shares a telephone or an address. */
function othersOf({ leftOut }: CollectedPerson): string[] {
  if (leftOut === 0) return [];
  const states = leftOut === 1 ? '1 submission has' : `${leftOut} submissions have`;
  return [
    `${states} only one of them: check with \`sss people find\`, and give the ids of those that belong to the person`,
  ];
}

function warningsOf({ submissions }: CollectedPerson): string[] {
  const groups = namesThatDiffer(submissions);
  if (groups.length === 0) return [];
  return [
    'warning: the names in these submissions differ: make sure that they belong to one person before you send anything',
    ...groups.map((ids) => `  same name: ${ids.join(', ')}`),
  ];
}

const textOf = (value: JsonValue | undefined) => (typeof value === 'string' ? value : undefined);

async function saveFiles(
  folder: ExportFolder,
  { submissions }: CollectedPerson,
  signal: AbortSignal,
): Promise<string[]> {
  const missing: string[] = [];
  for (const file of submissions.flatMap(({ files }) => files)) {
    const bytes = await fetched(file, signal);
    if (bytes) folder.write(nameOf(file), bytes);
    else missing.push(`document ${file.documentId}: the file could not be downloaded`);
  }
  return missing;
}

/** Names files by document id: uploaded file names are chosen by other people, and are in the list of documents. */
const nameOf = ({ documentId, contentType }: ExportedFile) =>
  `documents/${documentId}${ENDINGS[contentType] ?? '.bin'}`;

async function fetched(
  { url, byteSize }: ExportedFile,
  signal: AbortSignal,
): Promise<Uint8Array | undefined> {
  try {
    const within = AbortSignal.any([signal, AbortSignal.timeout(DOWNLOAD_MS)]);
    const answer = await fetch(url, { signal: within, redirect: 'error' });
    if (!answer.ok) return undefined;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    return bytes.byteLength === byteSize ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(
  { selectedBy, submissions }: CollectedPerson,
  missing: readonly string[],
  at: Date,
): JsonValue {
  return {
    exportedAt: at.toISOString(),
    selectedBy,
    namesDiffer: namesThatDiffer(submissions),
    missing: [...missing],
    submissions: submissions.map(({ matched, submission, documents, deliveries, files }) => ({
      matched: [...matched],
      submission,
      documents,
      files: files.map(nameOf),
      deliveries,
    })),
  };
}

function sectionsOf(
  { selectedBy, submissions }: CollectedPerson,
  missing: readonly string[],
  at: Date,
): [string, JsonValue][] {
  const about: [string, JsonValue] = [
    'About this page',
    {
      written: at.toISOString(),
      selectedBy,
      namesDiffer: namesThatDiffer(submissions),
      missing: [...missing],
    },
  ];
  const each = submissions.map(
    ({ submissionId, matched, submission, documents, deliveries, files }): [string, JsonValue] => [
      `Submission ${submissionId}`,
      { matched: [...matched], submission, documents, files: files.map(nameOf), deliveries },
    ],
  );
  return [about, ...each];
}
