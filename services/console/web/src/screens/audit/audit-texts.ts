/** Texts of the audit log. */
export const AUDIT = {
  title: 'Audit log',
  service: 'Service',
  target: 'Target',
  actor: 'Actor',
  action: 'Action',
  supplier: 'Supplier',
  request: 'Request ID',
  time: 'Time',
  purpose: 'Purpose or reason',
  roles: 'Roles',
  empty: 'No entries match. Change or remove a filter.',

  entry: (action: string) => `Entry: ${action}`,
  issuer: 'Issuer',
  before: 'Before',
  after: 'After',
  position: 'Chain position',
  notSealed: 'Not sealed yet',
  hash: 'SHA-256',
  sealed: 'Sealed',

  exportTitle: 'Export',
  exportOf: (service: string, isSince: boolean, limit: string) =>
    `All sealed entries of the ${service} service${isSince ? ' since the start of your filter' : ''}, in chain order, up to ${limit} per file. Other filters don’t apply.`,
  saveFile: 'Save file',
  saveNext: 'Save the next entries',
  soFar: (count: string) => `${count} entries so far`,
  saved: (count: string) => `${count} entries are in the file`,
  more: (position: bigint) => `, and there may be more after position ${position}`,
  failed: (message: string) => `Could not export: ${message}`,
} as const;
