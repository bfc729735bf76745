import type { ExportedSubmission } from '@supplier/proto/submission/v1/export_submission';

/** A submission, and whose it is. */
export interface Named {
  readonly submissionId: string;
  readonly names: readonly string[];
}

/** Whose a submission is by the enquiry, each correction and the promotion, without regard to case and spaces; none where nothing is left. */
export function namesOf({
  enquiry,
  contactCorrections,
  workingContact,
  application,
}: ExportedSubmission): string[] {
  if (!enquiry) return [];
  const corrected = [...contactCorrections.map(({ contact }) => contact), workingContact];
  const stated = [enquiry, ...corrected, application?.snapshot].flatMap((one) => one ?? []);
  // A correction that leaves a part out leaves it as the enquiry has it.
  const names = stated.map(({ firstName = enquiry.firstName, lastName = enquiry.lastName }) =>
    `${firstName} ${lastName}`.trim().replace(/\s+/g, ' ').toLowerCase(),
  );
  return [...new Set(names)];
}

/** The ids of the submissions, those of one name together; none where all have the same. */
export function namesThatDiffer(submissions: readonly Named[]): string[][] {
  const groups = new Map<string, string[]>();
  for (const { names, submissionId } of submissions)
    for (const name of names) groups.set(name, [...(groups.get(name) ?? []), submissionId]);
  return groups.size > 1 ? [...groups.values()] : [];
}
