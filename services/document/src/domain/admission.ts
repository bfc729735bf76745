import type { AccountId } from '@supplier/lib/ids';
import type { EnvironmentName } from './environment.ts';

/** What a document that is announced asks of the quotas. */
export interface Announcement {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
  readonly byteSize: bigint;
}

/** The most that an account and a reference may have. Implements docs/contract.md, section 9. */
export interface Quotas {
  readonly accountBytes: number;
  readonly perReference: number;
}

/** What there is already: bytes by {@link accountKey}, documents by {@link referenceKey}. */
export interface Usage {
  readonly bytes: ReadonlyMap<string, bigint>;
  readonly documents: ReadonlyMap<string, number>;
}

/** Whether a document is reserved, or which quota is used up. */
export type Admission = 'reserved' | keyof Quotas;

type Account = Pick<Announcement, 'accountId' | 'environment'>;

export const accountKey = ({ accountId, environment }: Account): string => `${accountId} ${environment}`;
export const referenceKey = (of: Account & Pick<Announcement, 'externalReference'>): string =>
  `${accountKey(of)} ${of.externalReference}`;

/** Admits documents one after the other for as long as the quotas last; what is refused uses nothing. */
export function admit(announced: readonly Announcement[], usage: Usage, quotas: Quotas): Admission[] {
  const bytes = new Map(usage.bytes);
  const documents = new Map(usage.documents);
  return announced.map((document) => {
    const [account, reference] = [accountKey(document), referenceKey(document)];
    const total = (bytes.get(account) ?? 0n) + document.byteSize;
    const count = (documents.get(reference) ?? 0) + 1;
    if (total > BigInt(quotas.accountBytes)) return 'accountBytes';
    if (count > quotas.perReference) return 'perReference';
    bytes.set(account, total);
    documents.set(reference, count);
    return 'reserved';
  });
}
