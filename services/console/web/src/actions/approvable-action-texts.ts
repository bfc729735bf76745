/** Texts of actions that may need a second person's approval. */
export const APPROVAL = {
  title: 'Second person’s approval',
  required: (reasons: string) => `Requires a second person’s approval: ${reasons}.`,
  notEnforced: (reasons: string) =>
    `Approval isn’t enforced in this installation, so you can do this alone. Otherwise it requires a second person: ${reasons}.`,
  notNeeded: 'Doesn’t require a second person’s approval.',
  purpose: 'Reason for the approver',
  purposeHint: 'Also recorded in the audit log. Enter a case number, not personal details.',
  request: 'Request approval',
  or: 'or run',
  id: 'Approval ID',
  idHint: 'Valid once, for the requester and exactly the approved action.',
  pending: (time: string) => `Pending until ${time}.`,
  approved: (person: string, time: string) => `Approved by ${person}. Use it by ${time}.`,
  refused: (person: string, reason: string) => `Refused by ${person}: ${reason}`,
  used: (time: string) => `Used ${time}. Request another approval.`,
  expired: (time: string) => `Expired ${time}. Request another approval.`,
  unknown: 'Reload this page: it is older than the service.',
} as const;
