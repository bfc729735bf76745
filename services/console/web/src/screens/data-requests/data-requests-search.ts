import { UUID } from '../../format.ts';

const TABS = ['request', 'erasures', 'retention'] as const;
export type DataRequestsTab = (typeof TABS)[number];

/** The open tab, or the erasure whose certificate is shown. The URL never contains personal data. */
export interface DataRequestsSearch {
  readonly erasure?: string;
  readonly tab?: DataRequestsTab;
}

/** Returns the valid parameters of a URL. Anything else is dropped. */
export function dataRequestsSearch({ erasure, tab }: Record<string, unknown>): DataRequestsSearch {
  const found = TABS.find((name) => name === tab);
  return {
    ...(typeof erasure === 'string' && UUID.test(erasure) ? { erasure } : {}),
    ...(found ? { tab: found } : {}),
  };
}
