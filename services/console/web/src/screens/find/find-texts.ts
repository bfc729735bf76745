/** Texts of the search results. */
export const FIND = {
  title: 'Search',
  help: 'Press / to search by reference, submission ID, Application or request ID.',
  failed: (message: string) => `Search failed: ${message}`,
  idOnly: 'Your role can search by submission ID only.',
  searching: 'Searching…',
  noId: (id: string) => `No submission has the ID ${id}.`,
  noIdNorRequest: (id: string) =>
    `No submission has the ID ${id}, and no request with that ID created one that still exists.`,
  inAuditLog: 'See what the request did in the audit log:',
  noMatch: (what: string) => `No submission or Application matches “${what}”.`,
  isRequestId:
    'Is it an X-Request-Id? If it isn’t a UUID, search the gateway’s log for it, then search here for the inner_request_id beside it.',
  byReference: 'Search by reference',
  supplierName: 'Supplier name contains',
  search: 'Search',
  noSupplier: 'No supplier matches.',
  moreSuppliers: 'There are more suppliers. Enter more of the name.',
} as const;
