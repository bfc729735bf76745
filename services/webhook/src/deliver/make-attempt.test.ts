import { type EndpointId, type EventId, newId } from '@supplier/lib/text/ids';
import { postResult } from '../../testing/test-engine.ts';
import { START, testKeyRing } from '../../testing/test-service.ts';
import { signatureOf } from '../model/signing.ts';
import { answerHeadAad, bodyAad, secretAad } from '../store/sealed-values.ts';
import { attempts } from './make-attempt.ts';

const endpointId = newId<EndpointId>();
const eventId = newId<EventId>();
const body = Buffer.from('{"id":"x"}');
const keyRing = testKeyRing();
const never = new AbortController().signal;

const FAILED = postResult({ error: 'status', statusCode: 500 });

function claimed(number: number, secret: string, startedAt = START) {
  return {
    eventId,
    endpointId,
    number,
    startedAt,
    occurredAt: START,
    recordedAt: START,
    activeSince: START,
    url: 'https://receiver.test/',
    keyFingerprint: '00000000',
    sealedSecret: keyRing.seal(Buffer.from(secret), secretAad(endpointId)),
    sealedBody: keyRing.seal(body, bodyAad(eventId)),
    traceParent: '',
    isErased: false,
  };
}

function playedParts(result = FAILED) {
  const posts: { headers: Record<string, string>; body: string }[] = [];
  const client = {
    async post(_to: unknown, headers: Record<string, string>, sent: Uint8Array) {
      posts.push({ headers, body: Buffer.from(sent).toString() });
      return result;
    },
  };
  const make = attempts({ keyRing, client, random: () => 0.5 });
  return { posts, make: (one: ReturnType<typeof claimed>) => make(one, never) };
}

describe('attempt', () => {
  it('sends the same id and body each time, with a new signature', async () => {
    const { posts, make } = playedParts();
    await make(claimed(1, 'whsec_a'));
    const later = new Date(START.getTime() + 15_000);
    await make(claimed(2, 'whsec_a', later));
    const [first, second] = posts;
    expect(second?.body).toBe(first?.body);
    expect(second?.headers['Svc-Webhook-Id']).toBe(eventId);
    const seconds = START.getTime() / 1_000;
    expect(first?.headers['Svc-Webhook-Signature']).toBe(signatureOf('whsec_a', seconds, body));
    expect(second?.headers['Svc-Webhook-Timestamp']).toBe(String(seconds + 15));
    expect(second?.headers['Svc-Webhook-Signature']).toBe(signatureOf('whsec_a', seconds + 15, body));
  });

  it('is signed with the new secret from the first attempt after a rotation', async () => {
    const { posts, make } = playedParts();
    for (const secret of ['whsec_a', 'whsec_a', 'whsec_b', 'whsec_a']) await make(claimed(1, secret));
    const seconds = START.getTime() / 1_000;
    expect(posts.map(({ headers }) => headers['Svc-Webhook-Signature'])).toEqual(
      ['whsec_a', 'whsec_a', 'whsec_b', 'whsec_a'].map((secret) => signatureOf(secret, seconds, body)),
    );
  });

  it('records its result and the next step', async () => {
    const { make } = playedParts();
    const outcome = await make(claimed(1, 'whsec_a'));
    const tookMs = outcome.endedAt.getTime() - START.getTime();
    expect(tookMs).toBeGreaterThanOrEqual(0);
    expect(tookMs).toBeLessThan(10_000);
    expect(outcome).toMatchObject({
      eventId,
      number: 1,
      startedAt: START,
      error: 'status',
      statusCode: 500,
      statusMs: 3,
      sealedAnswerHead: undefined,
      verdict: { state: 'pending', nextAttemptAt: new Date(outcome.endedAt.getTime() + 15_000) },
    });
  });

  it("keeps the receiver's response, sealed, unless the person was erased", async () => {
    const { make } = playedParts({ ...FAILED, answerHead: Buffer.from('no such submission') });
    const { sealedAnswerHead } = await make(claimed(1, 'whsec_a'));
    const opened = keyRing.open(sealedAnswerHead ?? new Uint8Array(), answerHeadAad(eventId, 1));
    expect(Buffer.from(opened).toString()).toBe('no such submission');
    const afterErasure = await make({ ...claimed(2, 'whsec_a'), isErased: true });
    expect(afterErasure).toMatchObject({ statusCode: 500, sealedAnswerHead: undefined });
  });

  it('is not made with a body that was sealed for another event', async () => {
    const { posts, make } = playedParts();
    const swapped = { ...claimed(1, 'whsec_a'), sealedBody: keyRing.seal(body, bodyAad(newId<EventId>())) };
    await expect(make(swapped)).rejects.toThrow();
    expect(posts).toEqual([]);
  });
});
