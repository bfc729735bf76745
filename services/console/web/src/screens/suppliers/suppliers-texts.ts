/** Texts of the list of suppliers. */
export const SUPPLIERS = {
  title: 'Suppliers',
  name: 'Name',
  nameHint: 'Contains',
  status: 'Status',
  webhooks: 'Webhooks',
  failing: 'Failing',
  created: 'Created',
  id: 'ID',
  empty: 'No suppliers match. Change or remove a filter, or open an account.',
  open: 'Open an account',
  openEffect:
    'Opens an account in both environments. Empty thresholds, caps and limits do not apply. The supplier gets access when you issue a credential.',
  noResponse: 'We got no response. Press the button again: only one account is opened.',
  namesakes: 'Accounts with this name',
  openedAt: (time: string) => `, opened ${time}`,
  openAnother: 'Open another account with this name',
  exists: 'An account with this name exists. Check it before you open another.',
  tooMany: (count: number) => `More than ${count} accounts match this name. Enter more of it.`,
  isOpen: 'The account is open: ',
  next: 'Next, issue a credential and create an endpoint for its webhooks. Start with the sandbox.',
} as const;
