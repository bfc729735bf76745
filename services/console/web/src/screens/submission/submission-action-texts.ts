/** Texts of the actions on one submission or several. */
export const SUBMISSION_ACTIONS = {
  forColleagues: 'For colleagues. Suppliers never see it. No personal data.',
  outcomes: {
    cleared: 'Cleared',
    returned: 'Not cleared: return it to the supplier',
    closed: 'Not cleared and too late to return: close it',
  },
} as const;
