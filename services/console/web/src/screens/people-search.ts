const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Which erasure's certificate is shown. Nothing of a person ever stands in the address. */
export interface PeopleSearch {
  readonly erasure?: string;
}

/** What of an address names an erasure; anything else in it is left out. */
export const peopleSearch = ({ erasure }: Record<string, unknown>): PeopleSearch =>
  typeof erasure === 'string' && UUID.test(erasure) ? { erasure } : {};
