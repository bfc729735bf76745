import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { AssociatedData, KeyRing } from '@supplier/lib/data/crypto';
import { auditCall } from '@supplier/lib/governance/audit';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import type { ExportedSubmissionSchema } from '@supplier/proto/submission/v1/export_submission';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import type { Context, PrivacyRpcs } from '../context.ts';
import { contactAad, correctionAad, enquiryAad, snapshotAad } from '../model/associated-data.ts';
import { submissionNotFound } from '../refusals.ts';
import type { Database } from '../store/database.ts';

/**
 * Returns all data about the applicant of a submission in this service, for the applicant. Audited with its purpose
 * before any data is opened. NOT_FOUND for an unknown submission. Implements docs/contract.md, section 10.
 */
export function exportSubmission({ db, pool, keyRing, clock }: Context): PrivacyRpcs['exportSubmission'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const id = request.submissionId.toLowerCase() as SubmissionId;
    const row = await readForExport(db, id);
    if (!row) throw submissionNotFound();
    const act = { at: clock.now(), target: id, accountId: row.accountId, purpose };
    await auditCall(pool, call, act);
    return exportedSubmission(keyRing, row);
  };
}

type Exported = MessageInitShape<typeof ExportedSubmissionSchema>;

/** Returns all applicant data, opened. Throws if a value cannot be opened. */
function exportedSubmission(keyRing: KeyRing, row: RowForExport): Exported {
  const id = row.id as SubmissionId;
  const contact = (sealed: Uint8Array, aad: AssociatedData) =>
    fromBinary(ContactSchema, keyRing.open(sealed, aad));
  const enquiry = (sealed: Uint8Array, aad: AssociatedData) =>
    fromBinary(EnquirySchema, keyRing.open(sealed, aad));
  const received = row.enquiry ? enquiry(row.enquiry, enquiryAad(id)) : undefined;
  return {
    submissionId: id,
    accountId: row.accountId,
    environment: row.environment,
    externalReference: row.externalReference,
    level: row.level,
    status: row.status,
    receivedAt: toTimestamp(row.receivedAt),
    ...time('decidedAt', row.decidedAt),
    ...time('returnedAt', row.returnedAt),
    ...time('erasedAt', row.erasedAt),
    ...time('heldSince', row.legalHold?.heldAt),
    ...(received ? { enquiry: received, consents: consentsOf(received) } : {}),
    ...(row.contact ? { workingContact: contact(row.contact, contactAad(id)) } : {}),
    contactCorrections: row.contactCorrections.map((one) => ({
      revision: BigInt(one.revision),
      correctedAt: toTimestamp(one.correctedAt),
      ...(one.contact ? { contact: contact(one.contact, correctionAad(id, one.revision)) } : {}),
    })),
    ...(row.application ? { application: applicationOf(row.application, id, enquiry) } : {}),
    decision: {
      policyVersion: row.decisionPolicy ?? '',
      rule: row.decisionRule ?? '',
      reason: row.decisionReason ?? '',
    },
    links: row.journeyLinks.map((link) => ({
      kind: link.kind,
      createdAt: toTimestamp(link.createdAt),
      expiresAt: toTimestamp(link.expiresAt),
      ...time('usedAt', link.usedAt),
      ...time('endedAt', link.endedAt),
    })),
    operations: row.operationKeys.map(({ operation, appliedAt }) => ({
      // The stored number is the enum's.
      kind: operation,
      appliedAt: toTimestamp(appliedAt),
    })),
  };
}

function applicationOf(
  application: NonNullable<RowForExport['application']>,
  id: SubmissionId,
  open: (sealed: Uint8Array, aad: AssociatedData) => Enquiry,
) {
  return {
    applicationReference: application.reference,
    createdAt: toTimestamp(application.createdAt),
    ...(application.snapshot ? { snapshot: open(application.snapshot, snapshotAad(id)) } : {}),
    preUnderwriting: {
      state: application.preUnderwriting,
      ...time('completedAt', application.preUnderwritingAt),
      policyVersion: application.preUnderwritingPolicy ?? '',
      reasons: application.preUnderwritingReasons,
      closeReason: application.closeReason ?? '',
    },
  };
}

function consentsOf({ privacyInformation, contactExpectation, marketing, statedCollectionBasis }: Enquiry) {
  return {
    ...(privacyInformation ? { privacyInformation } : {}),
    ...(contactExpectation ? { contactExpectation } : {}),
    ...(marketing === undefined ? {} : { marketing }),
    ...(statedCollectionBasis ? { statedCollectionBasis } : {}),
  };
}

function time<Name extends string>(name: Name, at: Date | null | undefined) {
  return (at ? { [name]: toTimestamp(at) } : {}) as Partial<Record<Name, ReturnType<typeof toTimestamp>>>;
}

/** More than a submission can have, to limit how much one call reads. */
const MAX_ROWS = 1_000;

/** Returns all data about the applicant of a submission, still sealed; undefined if there is none. */
async function readForExport(db: Database, id: SubmissionId) {
  const row = await db.submission.findUnique({
    where: { id },
    omit: {
      bodyDigest: true,
      bodyFingerprint: true,
      companyHash: true,
      telephoneHash: true,
      emailHash: true,
    },
    include: {
      application: true,
      legalHold: true,
      contactCorrections: { orderBy: { revision: 'asc' }, take: MAX_ROWS },
      operationKeys: {
        select: { operation: true, appliedAt: true },
        orderBy: { appliedAt: 'asc' },
        take: MAX_ROWS,
      },
      journeyLinks: {
        select: { kind: true, createdAt: true, expiresAt: true, usedAt: true, endedAt: true },
        orderBy: { createdAt: 'asc' },
        take: MAX_ROWS,
      },
    },
  });
  return row ?? undefined;
}

type RowForExport = NonNullable<Awaited<ReturnType<typeof readForExport>>>;
