import { toBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/crypto';
import { type ApplicationId, newId, type SubmissionId } from '@supplier/lib/ids';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Transaction } from './database.ts';

/** Where the sealed snapshot of an Application lies. There is one for each submission. */
export const snapshotPlace = (id: SubmissionId) => ({ table: 'application', column: 'snapshot', row: id });

export interface NewApplication {
  readonly submissionId: SubmissionId;
  readonly reference: string;
  readonly createdAt: Date;
  readonly snapshot: Enquiry;
}

/** Writes the one Application of a submission; a second one fails on its unique key. */
export async function insertApplication(
  tx: Transaction,
  keyRing: KeyRing,
  application: NewApplication,
): Promise<void> {
  const { submissionId, reference, createdAt, snapshot } = application;
  await tx.application.create({
    data: {
      id: newId<ApplicationId>(),
      submissionId,
      reference,
      createdAt,
      snapshot: keyRing.seal(toBinary(EnquirySchema, snapshot), snapshotPlace(submissionId)),
      preUnderwriting: PreUnderwritingState.PENDING,
    },
    select: { id: true },
  });
}
