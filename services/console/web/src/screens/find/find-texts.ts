/** Texts of the search results. */
export const FIND = {
  title: 'Search',
  help: 'Press / to search by reference, submission ID, Application or request ID.',
  failed: (message: string) => `Search failed: ${message}`,
  idOnly: 'Your role can search by submission ID only.',
  searching: 'Searching…',
  noId: (id: string) => `No submission has the ID ${id}.`,
  noIdNorRequest: (id: string) =>
    `No submission has the ID or reference ${id}, and no request with that ID created one that still exists.`,
  inAuditLog: 'See what the request did:',
  auditLog: 'View in audit log',
  noMatch: (what: string) => `No reference or Application matches “${what}”.`,
  hints:
    'Enter the start of a reference in the same case, a complete Application, or a complete ID. Request IDs can be searched only if they are UUIDs.',
} as const;
