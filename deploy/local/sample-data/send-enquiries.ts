import { request } from 'undici';
import type { Answer } from '../demonstration/supplier-client.ts';
import { formatDuration } from '../terminal.ts';
import { waitUntil } from '../wait-until.ts';
import { type SampleEnquiry, sampleEnquiry } from './enquiries.ts';
import type { Progress } from './progress.ts';
import type { StackAddresses } from './staff.ts';

const CONCURRENT = 12;
const TIMEOUT_MS = 30_000;
/** A busy machine responds with 503. */
const RETRY_MS = 500;
const PATHS = { application: '/v1/supplier-submissions', basic: '/v2/supplier-submissions' };
/** 200: an earlier run sent it. 409: an earlier run sent it, and it was erased since. */
const EXPECTED = [200, 202, 409];

/** Sends each enquiry under its own reference, so that sending it again adds nothing. Customers come before their repeats. */
export async function sendEnquiries(
  count: number,
  { at, accountOf }: Progress,
  stack: StackAddresses,
  onSent: (sent: number) => void,
): Promise<void> {
  const origins = { sandbox: stack.gateway, production: stack.production };
  let sent = 0;
  const send = async ({ supplier, environment, level, reference, body }: SampleEnquiry) => {
    const tryOnce = async () => {
      const credential = accountOf(supplier)[environment];
      const answer = await post(`${origins[environment]}${PATHS[level]}`, credential, body);
      return answer.status === 503 ? undefined : answer;
    };
    const answer = await waitUntil(tryOnce, { withinMs: TIMEOUT_MS, everyMs: RETRY_MS });
    if (!answer) throw new Error(`submission ${reference} failed: 503 for ${formatDuration(TIMEOUT_MS)}`);
    if (!EXPECTED.includes(answer.status))
      throw new Error(`submission ${reference} failed: ${answer.status} ${answer.text}`);
    sent += 1;
    onSent(sent);
  };
  const enquiries = Array.from({ length: count }, (_, index) => sampleEnquiry(index, at));
  for (const areRepeats of [false, true])
    await forEach(
      enquiries.filter(({ isRepeat }) => isRepeat === areRepeats),
      send,
    );
}

async function post(url: string, credential: string, body: unknown): Promise<Answer> {
  const answer = await request(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: answer.statusCode, text: await answer.body.text() };
}

async function forEach<T>(items: readonly T[], act: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  const work = async () => {
    for (const item of left) await act(item);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
}
