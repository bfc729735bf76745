import { AccountStateSchema } from '@supplier/proto/account/v1/account';

/** Which suppliers are listed; all of it stands in the address. */
export interface SuppliersSearch {
  /** Anywhere in the name. */
  readonly name?: string;
  /** Its number in the contract. */
  readonly state?: number;
}

/** What of an address is a filter; anything else in it is left out. */
export function suppliersSearch({ name, state }: Record<string, unknown>): SuppliersSearch {
  const number = Number(state);
  return {
    ...(typeof name === 'string' && name !== '' && name.length <= 200 ? { name } : {}),
    ...(number > 0 && AccountStateSchema.values.some((one) => one.number === number)
      ? { state: number }
      : {}),
  };
}
