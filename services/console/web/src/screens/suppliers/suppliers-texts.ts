/** Texts of the list of suppliers. */
export const SUPPLIERS = {
  title: 'Suppliers',
  name: 'Name',
  nameHint: 'Contains',
  status: 'Status',
  created: 'Created',
  id: 'ID',
  empty: 'No suppliers match. Change or remove a filter, or open an account.',
  open: 'Open an account',
  openEffect:
    'Opens an account in both environments. An empty field means no limit. Setup then leads to a credential, an endpoint and a test event.',
  noResponse: 'No response. Try again: only one account will be opened.',
  namesakes: 'Accounts with this name',
  openedAt: (time: string) => `, opened ${time}`,
  openAnother: 'Open another account with this name',
  exists: 'An account with this name exists. Check it before you open another.',
  tooMany: (count: number) => `More than ${count} accounts match this name. Enter more of it.`,
  opened: 'Account opened',
} as const;
