import type { Area, ListedObject } from '../object-store/object-store.ts';
import type { StoredDocument } from './store-comparison.sql.ts';

/** Where store and database contradict each other. */
export type Exception = Orphan | Contradiction;

/** An object without a reference. */
export interface Orphan extends ListedObject {
  readonly kind: 'orphan';
  readonly area: Area;
}

/** A document whose bytes are missing or wrong, or in the clean area although it is not clean. */
export interface Contradiction
  extends Pick<StoredDocument, 'documentId' | 'area' | 'key' | 'byteSize' | 'scanStatus'> {
  readonly kind: 'missing' | 'other_size' | 'other_bytes' | 'not_clean';
}

/** What each is, in a sentence. */
export const FAULTS: Readonly<Record<Exception['kind'], string>> = {
  orphan: 'no document refers to the object, which is older than an hour',
  missing: 'the object of the document does not exist',
  other_size: 'the object has another size than the document',
  other_bytes: 'the object has other bytes than the document',
  not_clean: 'the object is in the clean area, and its document is not clean',
};

/** The exception as one line of text. */
export function describeException(exception: Exception): string {
  const place = `${exception.area}/${exception.key}`;
  switch (exception.kind) {
    case 'orphan':
      return `orphan       ${place}: ${exception.byteSize} bytes since ${exception.storedAt.toISOString()}`;
    case 'missing':
      return `missing      ${place}: document ${exception.documentId} (${exception.scanStatus})`;
    case 'other_size':
      return `other size   ${place}: document ${exception.documentId} has ${exception.byteSize} bytes`;
    case 'other_bytes':
      return `other bytes  ${place}: document ${exception.documentId} (${exception.scanStatus})`;
    case 'not_clean':
      return `not clean    ${place}: document ${exception.documentId} is ${exception.scanStatus}`;
  }
}
