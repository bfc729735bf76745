import { createSecretKey, type KeyObject } from 'node:crypto';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { annotate, failSpan, inSpan } from '@supplier/lib/runtime/tracing';
import type { EndpointId } from '@supplier/lib/text/ids';
import type { GuardedClient } from '../guarded-client/index.ts';
import { type ClaimedAttempt, endOf, type Outcome, type Random, verdictOn } from '../model/attempt.ts';
import { signedHeaders } from '../model/signing.ts';
import { answerHeadAad, bodyAad, secretAad } from '../store/sealed-values.ts';

/** Maximum number of decrypted secrets in memory. */
const MAX_OPENED = 1_000;

export interface AttemptParts {
  readonly keyRing: KeyRing;
  readonly client: Pick<GuardedClient, 'post'>;
  readonly random: Random;
}

/** Makes one claimed attempt; `signal` ends it early as interrupted. */
export type MakeAttempt = (claimed: ClaimedAttempt, signal: AbortSignal) => Promise<Outcome>;

/**
 * Returns a function that makes claimed attempts: it signs the frozen body with the endpoint's current secret, posts
 * it, and returns the outcome. The outcome's times are the start, by the database's clock, and the duration. Throws
 * only when the secret or the body cannot be decrypted.
 */
export function attempts({ keyRing, client, random }: AttemptParts): MakeAttempt {
  const signingKeyOf = signingKeys(keyRing);
  const attempt: MakeAttempt = async (claimed, signal) => {
    const beganAt = performance.now();
    const { eventId, endpointId, number, startedAt, keyFingerprint } = claimed;
    const body = keyRing.open(claimed.sealedBody, bodyAad(eventId));
    const headers = signedHeaders(eventId, body, signingKeyOf(claimed), startedAt);
    const { answerHead, ...result } = await client.post(
      { endpointId, url: claimed.url },
      headers,
      body,
      signal,
    );
    const endedAt = endOf(claimed, performance.now() - beganAt);
    return {
      ...result,
      eventId,
      endpointId,
      number,
      startedAt,
      keyFingerprint,
      endedAt,
      sealedAnswerHead:
        answerHead.length > 0 && !claimed.isErased
          ? keyRing.seal(answerHead, answerHeadAad(eventId, number))
          : undefined,
      verdict: verdictOn({ number, endedAt, error: result.error }, random),
    };
  };
  return (claimed, signal) => traced(claimed, () => attempt(claimed, signal));
}

/** The trace is not sent to the receiver. An attempt whose change was not traced has no span. */
function traced(
  { eventId, endpointId, number, traceParent }: ClaimedAttempt,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  if (traceParent === '') return attempt();
  const attributes = {
    'http.request.method': 'POST',
    'sss.event.id': eventId,
    'sss.endpoint.id': endpointId,
    'sss.attempt': number,
  };
  return inSpan('POST webhook', { kind: 'client', attributes }, async () => {
    const outcome = await attempt();
    if (outcome.statusCode !== undefined) annotate({ 'http.response.status_code': outcome.statusCode });
    if (outcome.error !== undefined) failSpan(outcome.error);
    return outcome;
  });
}

/**
 * Caches the decrypted secrets of recently used endpoints: decrypting one costs as much as signing. A changed sealed
 * value, for instance after a rotation, is decrypted again.
 */
function signingKeys(keyRing: KeyRing): (claimed: ClaimedAttempt) => KeyObject {
  const opened = new Map<EndpointId, { readonly sealed: Uint8Array; readonly key: KeyObject }>();
  return ({ endpointId, sealedSecret }) => {
    const known = opened.get(endpointId);
    if (known && Buffer.compare(known.sealed, sealedSecret) === 0) return known.key;
    const key = createSecretKey(keyRing.open(sealedSecret, secretAad(endpointId)));
    if (opened.size >= MAX_OPENED) opened.clear();
    opened.set(endpointId, { sealed: sealedSecret, key });
    return key;
  };
}
