import { filesHolding, formsOf } from '../../../../test/harness/written-forms.ts';
import type { Findings } from '../findings.ts';
import { APPLICANTS_NAME, type SentLead } from '../load.ts';

/** Folders of a backup, by what they hold. */
export type BackupFolders = Readonly<Record<'database files' | 'database log' | 'documents', string>>;

/**
 * Looks at every byte of a backup for what applicants are called, in any spelling, and for the telephone number of the
 * first of them. That the search would find it is shown by a reference, which is no secret.
 */
export function holdNobodyInClear(folders: BackupFolders, leads: readonly SentLead[], out: Findings): void {
  const [first] = leads.filter(({ taken }) => taken);
  if (!first) throw new Error('no lead was taken');
  const names = formsOf([APPLICANTS_NAME, String(first.body.telephone).slice(1)]);
  const read = Object.entries(folders).flatMap(([what, path]) =>
    filesHolding(path, names).map((file) => `${what} ${file}`),
  );
  out.none('no file of the backup has an applicant in clear', read, `${Object.keys(folders).join(', ')}`);
  const known = formsOf([first.reference]);
  const found = filesHolding(folders['database files'], known).length;
  out.found('its database files name the references of leads', found > 0, `${found} files`);
}
