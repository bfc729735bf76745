/** Texts of the approvals. */
export const APPROVALS = {
  person: (subject: string, issuer: string) => (issuer === '' ? subject : `${subject} (issuer ${issuer})`),
} as const;
