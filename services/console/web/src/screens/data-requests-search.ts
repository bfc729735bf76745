const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The erasure whose certificate is shown. The URL never contains personal data. */
export interface DataRequestsSearch {
  readonly erasure?: string;
}

/** Returns the valid parameters of a URL. Anything else is dropped. */
export const dataRequestsSearch = ({ erasure }: Record<string, unknown>): DataRequestsSearch =>
  typeof erasure === 'string' && UUID.test(erasure) ? { erasure } : {};
