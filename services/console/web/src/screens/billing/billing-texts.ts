/** Texts of the billing screen. */
export const BILLING = {
  title: 'Billing',
  month: 'Month',
  charged: 'Charged',
  credited: 'Credited',
  net: 'Net',
  pending: 'Billing pending',
  oldest: (age: string) => `Oldest ${age}`,
  nonePending: 'None',

  statements: 'Statements',
  noStatements:
    'No charges or credits in this month. Choose another month, or a supplier to see its statements.',
  statement: 'Statement',
  supplier: 'Supplier',
  status: 'Status',
  chargeCount: 'Charges',
  creditCount: 'Credits',
  unpriced: 'Unpriced',

  noPending: 'No accepted submission has pending billing.',
  noPendingOfAge: 'No billing has been pending that long. Remove the filter to see all.',
  received: 'Received',
  receivedAgo: (days: number) => `${days} or more days ago`,
  submission: 'Submission',
  model: 'Billing model',
  waiting: 'Waiting',
  actions: 'Actions',
} as const;
