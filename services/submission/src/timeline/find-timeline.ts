import { fromBinary } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import type { Database } from '../store/database.ts';
import { PROMOTION } from '../store/operation-key.sql.ts';

const MAX_CORRECTIONS = 100;
const MAX_LINKS = 100;
const MAX_ACTIONS = 200;
const MAX_EVENTS = 200;

/** Returns the stored history of a submission, with its enquiry and corrections sealed; undefined for an unknown one. */
export async function findTimeline(db: Database, id: SubmissionId) {
  const [submission, acts, events] = await Promise.all([
    db.submission.findUnique({
      where: { id },
      omit: { contact: true, identifying: true, bodyFingerprint: true },
      include: {
        application: { omit: { snapshot: true } },
        operationKeys: { where: { operation: PROMOTION }, select: { appliedAt: true }, take: 1 },
        contactCorrections: { orderBy: { revision: 'desc' }, take: MAX_CORRECTIONS },
        journeyLinks: {
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
          take: MAX_LINKS,
          omit: { token: true, tokenDigest: true, codeDigest: true },
        },
      },
    }),
    db.auditEntry.findMany({
      where: { target: id },
      orderBy: [{ at: 'desc' }, { sequence: 'desc' }],
      take: MAX_ACTIONS,
    }),
    db.domainEvent.findMany({
      where: { aggregateId: id },
      orderBy: { eventId: 'desc' },
      take: MAX_EVENTS,
      select: { envelope: true },
    }),
  ]);
  if (!submission) return;
  return {
    submission,
    acts,
    events: events.map(({ envelope }) => fromBinary(EventEnvelopeSchema, envelope)).toReversed(),
  };
}

/** Returns how staff name the earlier submission that one duplicates. */
export const findEarlier = async (db: Database, id: string | null) =>
  id === null
    ? null
    : db.submission.findUnique({
        where: { id },
        select: { accountId: true, externalReference: true },
      });

export type FoundTimeline = NonNullable<Awaited<ReturnType<typeof findTimeline>>>;
