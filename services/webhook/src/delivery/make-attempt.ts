import type { KeyRing } from '@supplier/lib/crypto';
import type { ClaimedAttempt } from '../db/claim-attempts.ts';
import { endOf, type Outcome } from '../domain/outcome.ts';
import type { Random } from '../domain/schedule.ts';
import { answerHeadPlace, bodyPlace, secretPlace } from '../domain/sealed-places.ts';
import { signedHeaders } from '../domain/signature.ts';
import { verdictOn } from '../domain/verdict.ts';
import type { GuardedClient } from '../guarded-client/index.ts';

export interface AttemptParts {
  readonly ring: KeyRing;
  readonly client: Pick<GuardedClient, 'post'>;
  readonly random: Random;
}

/**
 * Makes one claimed attempt: signs the frozen body afresh with the endpoint's current secret, posts it, and says how
 * that ended. Its times are its start, by the database's clock, and how long it took. Throws only when the secret or the
 * body cannot be opened.
 */
export async function makeAttempt(
  claimed: ClaimedAttempt,
  { ring, client, random }: AttemptParts,
  signal: AbortSignal,
): Promise<Outcome> {
  const begun = performance.now();
  const { eventId, endpointId, number, startedAt, keyFingerprint } = claimed;
  const secret = Buffer.from(ring.open(claimed.sealedSecret, secretPlace(endpointId))).toString();
  const body = ring.open(claimed.sealedBody, bodyPlace(eventId));
  const headers = signedHeaders(eventId, body, secret, startedAt);
  const { answerHead, ...result } = await client.post(
    { endpointId, url: claimed.url },
    headers,
    body,
    signal,
  );
  const endedAt = endOf(claimed, performance.now() - begun);
  return {
    ...result,
    eventId,
    endpointId,
    number,
    startedAt,
    keyFingerprint,
    endedAt,
    sealedAnswerHead:
      answerHead.length > 0 ? ring.seal(answerHead, answerHeadPlace(eventId, number)) : undefined,
    verdict: verdictOn({ number, endedAt, error: result.error }, random),
  };
}
