/** Texts of the list of policies. */
export const POLICIES = {
  title: 'Policies',
  active: 'Active',
  activePolicy: (kind: string) => `Active ${kind.toLowerCase()} policy`,
  noActive: 'No active policy',
  since: (time: string, by: string) => `Since ${time}, activated by ${by}`,
  versions: 'Versions',
  noVersions: 'No versions. Store one with sss policies store.',
  kind: 'Kind',
  version: 'Version',
  status: 'Status',
  activated: 'Last activated',
  stored: 'Stored',
  author: 'Author',
  note: 'Change note',
  activatedBy: 'Activated by',
} as const;
