import { AccountStateSchema } from '@supplier/proto/account/v1/account';

/** The filters, which are URL parameters. */
export interface SuppliersSearch {
  /** Matches anywhere in the name. */
  readonly name?: string;
  /** The enum value in the contract. */
  readonly state?: number;
}

/** Returns the valid filters of a URL. Anything else is dropped. */
export function suppliersSearch({ name, state }: Record<string, unknown>): SuppliersSearch {
  const number = Number(state);
  return {
    ...(typeof name === 'string' && name !== '' && name.length <= 200 ? { name } : {}),
    ...(number > 0 && AccountStateSchema.values.some((one) => one.number === number)
      ? { state: number }
      : {}),
  };
}
