import type { DocumentId } from '@supplier/lib/ids';
import type { Announcement } from '../domain/admission.ts';
import type { CategoryName } from '../domain/category.ts';
import type { ContentType } from '../domain/content-types.ts';

/** A document that is announced, and the upload it waits for. */
export interface Reservation extends Announcement {
  readonly documentId: DocumentId;
  readonly category: CategoryName;
  readonly sealedFilename: Uint8Array;
  readonly contentType: ContentType;
  readonly objectKey: string;
  readonly createdAt: Date;
  readonly uploadExpiresAt: Date;
}
