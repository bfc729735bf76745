import type { SubmissionId } from '@supplier/lib/ids';
import type { JourneyLinkKind } from '@supplier/proto/submission/v1/submission';
import type { Transaction } from './database.ts';
import type { JourneyLink } from './generated/client.ts';

/** The latest link of one kind that a submission has had. */
export async function findLatestJourneyLink(
  db: Pick<Transaction, 'journeyLink'>,
  submissionId: SubmissionId,
  kind: JourneyLinkKind,
): Promise<JourneyLink | undefined> {
  const row = await db.journeyLink.findFirst({
    where: { submissionId, kind },
    orderBy: { number: 'desc' },
  });
  return row ?? undefined;
}

/** The link that a token opens, working or not. */
export async function findJourneyLinkByToken(
  db: Pick<Transaction, 'journeyLink'>,
  tokenDigest: Uint8Array<ArrayBuffer>,
): Promise<Omit<JourneyLink, 'token' | 'tokenDigest'> | undefined> {
  const row = await db.journeyLink.findUnique({
    where: { tokenDigest },
    omit: { token: true, tokenDigest: true },
  });
  return row ?? undefined;
}
