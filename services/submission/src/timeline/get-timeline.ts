import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import type { TimelineSchema } from '@supplier/proto/submission/v1/timeline';
import type { Context, Rpcs } from '../context.ts';
import { correctionAad } from '../model/associated-data.ts';
import { contactChecksOf } from '../model/contact-checks.ts';
import { submissionNotFound } from '../refusals.ts';
import { businessFiguresOf } from '../store/submission-row.ts';
import { kindsCompared } from './compared.ts';
import { type FoundTimeline, findEarlier, findTimeline } from './find-timeline.ts';
import { type LifeOfSubmission, timelineOf } from './timeline.ts';

type TimelineParts = Pick<Context, 'db' | 'pool' | 'keyRing' | 'clock' | 'policies'>;

/**
 * Returns the history of one submission in the order of time, from its tables, the stored events and the acts of staff.
 * Contains the names of corrected fields, never their values. NOT_FOUND for an unknown one. Implements
 * docs/contract.md, section 11.
 */
export function getTimeline(parts: TimelineParts): Rpcs['getTimeline'] {
  const read = timelineReader(parts);
  return (request) => read(requestedId<SubmissionId>('submission_id', request.submissionId));
}

/** Creates a reader for the timeline of one submission. It rejects with NOT_FOUND for an unknown one. */
export function timelineReader({
  db,
  pool,
  keyRing,
  clock,
  policies,
}: TimelineParts): (id: SubmissionId) => Promise<MessageInitShape<typeof TimelineSchema>> {
  return async (id) => {
    const found = await findTimeline(db, id);
    if (!found) throw submissionNotFound();
    const { submission } = found;
    const life = lifeOf(found, keyRing, id);
    const [compared, earlier] = await Promise.all([
      kindsCompared({ pool, policies }, submission),
      findEarlier(db, submission.duplicateOf),
    ]);
    return {
      submissionId: id,
      accountId: submission.accountId,
      environment: submission.environment,
      externalReference: submission.externalReference,
      level: submission.level,
      status: submission.status,
      billingModel: submission.billingModel,
      entries: timelineOf({ ...life, compared, earlier }, clock.now()),
      eventCount: submission.version,
      checkContact: contactChecksOf(submission.contactChecks),
      ...businessFiguresOf(keyRing, { id, enquiry: submission.enquiry }),
    };
  };
}

function lifeOf(
  { submission, acts, events }: FoundTimeline,
  keyRing: KeyRing,
  id: SubmissionId,
): Omit<LifeOfSubmission, 'compared' | 'earlier'> {
  const { application, contactCorrections, journeyLinks, operationKeys } = submission;
  return {
    submission,
    application,
    promotedAt: operationKeys[0]?.appliedAt ?? null,
    corrections: contactCorrections.map(({ revision, correctedAt, contact }) => ({
      revision,
      correctedAt,
      contact: contact && fromBinary(ContactSchema, keyRing.open(contact, correctionAad(id, revision))),
    })),
    links: journeyLinks,
    acts,
    events,
  };
}
