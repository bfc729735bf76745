import { filesHolding, formsOf } from '../../harness/encoded-forms.ts';
import type { Findings } from '../findings.ts';
import { APPLICANTS_NAME, type SentSubmission } from '../load.ts';

/** Folders of a database backup, by content. */
export type BackupFolders = Readonly<Record<'database files' | 'database log', string>>;

/**
 * Searches every byte of a database backup for the applicants' name, in any encoding, and for the first applicant's
 * telephone number. To prove that the search works, it must find a reference, which isn't secret, in the database files
 * and the log.
 */
export function checkNoClearText(
  folders: BackupFolders,
  submissions: readonly SentSubmission[],
  out: Findings,
): void {
  const [first] = submissions.filter(({ taken }) => taken);
  if (!first) throw new Error('no lead was accepted');
  const names = formsOf([APPLICANTS_NAME, String(first.body.telephone).slice(1)]);
  const read = Object.entries(folders).flatMap(([what, path]) =>
    filesHolding(path, names).map((file) => `${what} ${file}`),
  );
  out.none(
    'no file of the backup has applicant data in clear text',
    read,
    `${Object.keys(folders).join(', ')}`,
  );
  const known = formsOf([first.reference]);
  const silent = Object.entries(folders)
    .filter(([, path]) => filesHolding(path, known).length === 0)
    .map(([what]) => what);
  out.none(
    'the search finds the references of leads in the backup, so it would find their names too',
    silent,
    'files and log',
  );
}
