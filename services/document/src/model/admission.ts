import type { AccountId } from '@supplier/lib/text/ids';
import type { EnvironmentName } from './enum-mapping.ts';

/** The fields of a requested document that count against the quotas. */
export interface ReservationRequest {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
  readonly byteSize: bigint;
}

/** Maximum bytes per account and documents per reference. Implements docs/contract.md, section 9. */
export interface Quotas {
  readonly accountBytes: number;
  readonly perReference: number;
}

/** Current usage: bytes by {@link accountKey}, documents by {@link referenceKey}, and the erased references. */
export interface Usage {
  readonly bytes: ReadonlyMap<string, bigint>;
  readonly documents: ReadonlyMap<string, number>;
  readonly erased: ReadonlySet<string>;
}

/** `reserved`, the quota that the document would exceed, or `erased` for an erased reference. */
export type Admission = 'reserved' | 'erased' | keyof Quotas;

type Account = Pick<ReservationRequest, 'accountId' | 'environment'>;

export const accountKey = ({ accountId, environment }: Account): string => `${accountId} ${environment}`;
export const referenceKey = (of: Account & Pick<ReservationRequest, 'externalReference'>): string =>
  `${accountKey(of)} ${of.externalReference}`;

/** Admits documents in order within the quotas; refused ones use no quota. */
export function admit(requests: readonly ReservationRequest[], usage: Usage, quotas: Quotas): Admission[] {
  const bytes = new Map(usage.bytes);
  const documents = new Map(usage.documents);
  return requests.map((document) => {
    const [account, reference] = [accountKey(document), referenceKey(document)];
    if (usage.erased.has(reference)) return 'erased';
    const total = (bytes.get(account) ?? 0n) + document.byteSize;
    const count = (documents.get(reference) ?? 0) + 1;
    if (total > BigInt(quotas.accountBytes)) return 'accountBytes';
    if (count > quotas.perReference) return 'perReference';
    bytes.set(account, total);
    documents.set(reference, count);
    return 'reserved';
  });
}
