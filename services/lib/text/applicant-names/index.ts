import type { ExportedSubmission } from '@supplier/proto/submission/v1/export_submission';

export interface Named {
  readonly submissionId: string;
  readonly names: readonly string[];
}

/** Returns an applicant's names, in lower case with single spaces; empty if erased. */
export function namesOf({
  enquiry,
  contactCorrections,
  workingContact,
  application,
}: ExportedSubmission): string[] {
  if (!enquiry) return [];
  const corrected = [...contactCorrections.map(({ contact }) => contact), workingContact];
  const stated = [enquiry, ...corrected, application?.snapshot].flatMap((one) => one ?? []);
  // A correction that omits a part leaves the enquiry's value in place.
  const names = stated.map(({ firstName = enquiry.firstName, lastName = enquiry.lastName }) =>
    `${firstName} ${lastName}`.trim().replace(/\s+/g, ' ').toLowerCase(),
  );
  return [...new Set(names)];
}

/** Returns submission ids grouped by name; empty if all submissions have the same name. */
export function namesThatDiffer(submissions: readonly Named[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const { names, submissionId } of submissions)
    for (const name of names) groups.set(name, [...(groups.get(name) ?? []), submissionId]);
  return groups.size > 1 ? [...groups.values()] : [];
}
