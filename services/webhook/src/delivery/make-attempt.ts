import type { KeyRing } from '@supplier/lib/crypto';
import type { Clock } from '@supplier/lib/time';
import type { ClaimedAttempt } from '../db/claim-attempts.ts';
import type { Outcome } from '../domain/outcome.ts';
import type { Random } from '../domain/schedule.ts';
import { answerHeadPlace, bodyPlace, secretPlace } from '../domain/sealed-places.ts';
import { signedHeaders } from '../domain/signature.ts';
import { verdictOn } from '../domain/verdict.ts';
import type { GuardedClient } from '../guarded-client/index.ts';

export interface AttemptParts {
  readonly ring: KeyRing;
  readonly client: Pick<GuardedClient, 'post'>;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Makes one claimed attempt: signs the frozen body afresh with the endpoint's current secret, posts it, and says how
 * that ended. Throws only when the secret or the body cannot be opened.
 */
export async function makeAttempt(
  { eventId, endpointId, number, ...claimed }: ClaimedAttempt,
  { ring, client, clock, random }: AttemptParts,
  signal: AbortSignal,
): Promise<Outcome> {
  const secret = Buffer.from(ring.open(claimed.sealedSecret, secretPlace(endpointId))).toString();
  const body = ring.open(claimed.sealedBody, bodyPlace(eventId));
  const headers = signedHeaders(eventId, body, secret, clock.now());
  const { answerHead, ...result } = await client.post(
    { endpointId, url: claimed.url },
    headers,
    body,
    signal,
  );
  const endedAt = clock.now();
  return {
    ...result,
    eventId,
    number,
    endedAt,
    sealedAnswerHead:
      answerHead.length > 0 ? ring.seal(answerHead, answerHeadPlace(eventId, number)) : undefined,
    verdict: verdictOn({ number, endedAt, error: result.error }, random),
  };
}
