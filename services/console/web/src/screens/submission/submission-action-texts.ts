/** Texts of the actions on one submission or several. */
export const SUBMISSION_ACTIONS = {
  forColleagues: 'For colleagues. Suppliers never see it. No personal data.',

  accept: 'Accept',
  reject: 'Reject',
  duplicate: 'Mark as duplicate',
  decideEffect: (reference: string, decision: string) =>
    `The supplier is notified that ${reference} is ${decision}. This cannot be undone.`,
  decideEachEffect: (decision: string) =>
    `The supplier of each submission is notified that it is ${decision}. This cannot be undone.`,
  decided: (reference: string, decision: string) => `${reference} is ${decision}`,
  acceptDuplicate: 'Accept even though this customer was accepted before',

  return: 'Return',
  returnReason: 'Reason',
  supplierNotified: 'The supplier is notified.',
  returnEffect: (reference: string) =>
    `Returns ${reference} to the supplier, who is notified and not charged. It cannot be accepted again.`,
  returnEachEffect:
    'Each submission is returned to its supplier, who is notified and not charged. It cannot be accepted again.',
  returned: (reference: string) => `${reference} is returned`,

  complete: 'Complete pre-underwriting',
  outcome: 'Outcome',
  outcomes: {
    cleared: 'Cleared',
    returned: 'Not cleared: return it to the supplier',
    closed: 'Not cleared and too late to return: close it',
  },
  completeEffect: (reference: string) =>
    `Pre-underwriting of ${reference} ends, which may bill or return it. The supplier is notified. This cannot be undone.`,
  completeEachEffect:
    'Pre-underwriting ends for each submission, which may bill or return it. Suppliers are notified. This cannot be undone.',
  completed: (reference: string) => `Pre-underwriting of ${reference} is complete`,

  release: 'Release parked work',
  releaseEffect: (reference: string) => `Retries the parked work of ${reference} now.`,
  released: (reference: string) => `The work of ${reference} is being retried`,
  notParked: 'The work is no longer parked: it was released.',

  closeBilling: 'Close billing',
  closeReason: 'Reason',
  closeEffect: (id: string) =>
    `${id} becomes not billable and the supplier is notified. This cannot be undone.`,
  closed: 'Billing closed',

  rescan: 'Scan again',
  rescanEffect: (id: string, reference: string) =>
    `The document ${id} of ${reference} is scanned again. It can be downloaded once the scan is clean.`,
  rescanning: 'The document is being scanned',
  delete: 'Delete',
  deleteEffect: (id: string, reference: string) =>
    `The document ${id} of ${reference} is deleted with its content. This cannot be undone.`,
  deleted: 'Document deleted',
} as const;
