import { request } from 'undici';
import { waitUntil } from '../wait-until.ts';
import { type SampleEnquiry, sampleEnquiry } from './enquiries.ts';
import type { Progress } from './progress.ts';
import type { StackAddresses } from './staff.ts';

const AT_ONCE = 12;
const ANSWER_MS = 30_000;
/** A busy machine answers 503. */
const RETRY_MS = 500;
const PATHS = { application: '/v1/supplier-submissions', basic: '/v2/supplier-submissions' };
/** 409: sent by an earlier run and erased since. */
const EXPECTED = [200, 202, 409];

/**
 * Sends the enquiries that are missing, each with its own reference, so that sending one again adds nothing. Customers
 * come before their repeats.
 */
export async function sendEnquiries(
  count: number,
  { at, accounts }: Progress,
  stack: StackAddresses,
  onSent: (sent: number) => void,
): Promise<void> {
  const enquiries = Array.from({ length: count }, (_, index) => sampleEnquiry(index, at));
  let sent = 0;
  const send = async ({ supplier, environment, level, reference, body }: SampleEnquiry) => {
    const credential = accounts[supplier]?.[environment] ?? '';
    const origin = environment === 'sandbox' ? stack.gateway : stack.production;
    const once = async () => {
      const answer = await post(`${origin}${PATHS[level]}`, credential, body);
      return answer.status === 503 ? undefined : answer;
    };
    const answer = await waitUntil(once, { withinMs: ANSWER_MS, everyMs: RETRY_MS });
    if (!answer || !EXPECTED.includes(answer.status))
      throw new Error(`submission ${reference} was answered with ${answer?.status ?? 503}: ${answer?.text}`);
    sent += 1;
    onSent(sent);
  };
  await eachOf(
    enquiries.filter(({ isRepeat }) => !isRepeat),
    send,
  );
  await eachOf(
    enquiries.filter(({ isRepeat }) => isRepeat),
    send,
  );
}

/** Posts JSON to the public API. */
async function post(
  url: string,
  credential: string,
  body: unknown,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

async function eachOf<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}
