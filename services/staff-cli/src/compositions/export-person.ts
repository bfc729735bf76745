import type { JsonValue } from '@bufbuild/protobuf';
import { FindPersonRequestSchema } from '@supplier/proto/submission/v1/privacy';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import {
  type CollectedPerson,
  collectPerson,
  type ExportedFile,
  type PersonWish,
} from '../export/collect-person.ts';
import { type ExportFolder, openExportFolder } from '../export/export-folder.ts';
import { exportPage } from '../export/export-page.ts';
import { readRequest } from '../flags/request-file.ts';
import { visibleLines } from '../output/visible.ts';
import { personalDetails } from '../personal-details.ts';
import { type CommonFlags, inSession, type Surroundings } from '../session.ts';

export interface ExportFlags extends CommonFlags {
  readonly email?: string;
  readonly telephone?: string;
  /** Of a file with `email` and `telephone`, in place of those flags. */
  readonly fromJson?: string;
  readonly purpose: string;
  /** Of a directory that does not exist, or is empty. */
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

/**
 * Writes everything that is held of a person into a directory of its own: `export.json`, the same as a page to read and
 * print, and the documents. What could not be had is named in both, and the command fails after it has written the rest.
 * Nothing is written for a person who is not found.
 */
export async function exportPerson(flags: ExportFlags, surroundings: Surroundings): Promise<void> {
  const { purpose, out } = flags;
  const { terminal, now, signal } = surroundings;
  const { email, telephone } = await wantedPerson(flags, surroundings);
  await inSession(flags, surroundings, async ({ caller }) => {
    const folder = openExportFolder(out);
    let isWritten = false;
    try {
      const person = await collectPerson(caller, { email, telephone, purpose });
      if (person.submissions.length === 0)
        throw new CommandFailure(exitCodes.notFound, 'no submission states this email or telephone');
      const missing = [...person.missing, ...(await saveFiles(folder, person, signal))];
      const content = contentOf(person, missing, now());
      folder.write('export.json', visibleLines(`${JSON.stringify(content, null, 2)}\n`));
      folder.write('export.html', exportPage('What we hold about you', sectionsOf(person, missing, now())));
      isWritten = true;
      const count = person.submissions.length;
      terminal.note(
        `${count} submission${count === 1 ? '' : 's'} in ${out}: give it away safely, and delete it`,
      );
      if (missing.length > 0)
        throw new CommandFailure(exitCodes.unavailable, 'the export is not complete', missing);
    } finally {
      if (!isWritten) folder.remove();
    }
  });
}

/** By what the person is found: of the file, of the flags, or as it is answered at the terminal. */
async function wantedPerson(
  { email, telephone, fromJson }: ExportFlags,
  surroundings: Surroundings,
): Promise<Pick<PersonWish, 'email' | 'telephone'>> {
  const file = fromJson === undefined ? {} : readRequest(FindPersonRequestSchema, fromJson);
  const stated = { email: textOf(file.email) ?? email, telephone: textOf(file.telephone) ?? telephone };
  if (fromJson !== undefined) return stated;
  const details = await personalDetails('people export', ['email', 'telephone'], stated, surroundings);
  return { email: details.email, telephone: details.telephone };
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
    else missing.push(`document ${file.documentId}: its bytes could not be fetched`);
  }
  return missing;
}

/** By its id: names of files are what somebody else chose, and stand in the list of documents. */
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

function contentOf({ submissions }: CollectedPerson, missing: readonly string[], at: Date): JsonValue {
  return {
    exportedAt: at.toISOString(),
    missing: [...missing],
    submissions: submissions.map(({ submission, documents, deliveries, files }) => ({
      submission,
      documents,
      files: files.map(nameOf),
      deliveries,
    })),
  };
}

function sectionsOf(
  { submissions }: CollectedPerson,
  missing: readonly string[],
  at: Date,
): [string, JsonValue][] {
  const about: [string, JsonValue] = [
    'About this page',
    { written: at.toISOString(), missing: [...missing] },
  ];
  const each = submissions.map(
    ({ submissionId, submission, documents, deliveries, files }): [string, JsonValue] => [
      `Submission ${submissionId}`,
      { submission, documents, files: files.map(nameOf), deliveries },
    ],
  );
  return [about, ...each];
}
