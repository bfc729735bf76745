import { kindNamed } from './policy-kinds.ts';

/** The filter, which is a URL parameter. */
export interface PoliciesSearch {
  readonly kind?: string;
}

/** Returns the valid filter of a URL. Anything else is dropped. */
export const policiesSearch = ({ kind }: Record<string, unknown>): PoliciesSearch =>
  typeof kind === 'string' && kindNamed(kind) ? { kind } : {};
