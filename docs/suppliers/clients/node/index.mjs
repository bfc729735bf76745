import { setTimeout as pause } from 'node:timers/promises';
import openapiFetch from 'openapi-fetch';
import { verify } from './verify.mjs';

/** Statuses after which the same request can be sent again. */
const TRY_AGAIN = new Set([429, 502, 503, 504]);
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 60_000;

/**
 * Creates a typed client with an operation for each method and path. After no response, 429, 502, 503 or 504, it sends the
 * same bytes again, after `Retry-After` if given. The same body under the same reference never creates twice. `attempts`
 * limits the number of attempts (5), `attemptMs` the time of each (30,000).
 */
export function createClient({
  baseUrl,
  credential,
  attempts = 5,
  attemptMs = 30_000,
  fetch = globalThis.fetch,
}) {
  const withoutSlash = baseUrl.replace(/\/+$/, '');
  if (new URL(withoutSlash).protocol !== 'https:' && !isLoopback(withoutSlash))
    throw new TypeError('baseUrl must be an https URL: the credential goes with every request');
  if (!Number.isInteger(attempts) || attempts < 1) throw new TypeError('attempts must be 1 or more');
  return openapiFetch({
    baseUrl: withoutSlash,
    headers: { authorization: `Bearer ${credential}` },
    fetch: async (request) =>
      refuseRedirect(await sendUntilAnswered(request, { attempts, attemptMs, fetch })),
  });
}

async function sendUntilAnswered(request, { attempts, attemptMs, fetch }) {
  for (let attempt = 1; ; attempt += 1) {
    const isLast = attempt === attempts;
    try {
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(attemptMs)]);
      // A redirect would take the customer's data to wherever it leads.
      const response = await fetch(new Request(request.clone(), { signal, redirect: 'manual' }));
      if (isLast || !TRY_AGAIN.has(response.status)) return response;
      // Read to its end, so that the connection can be used again.
      await response.arrayBuffer();
      await wait(attempt, response.headers.get('retry-after'), request.signal);
    } catch (error) {
      if (isLast || request.signal.aborted) throw error;
      await wait(attempt, null, request.signal);
    }
  }
}

/** The API never redirects: something else has answered, and its answer is not in the API's form. */
function refuseRedirect(response) {
  if (response.status < 300 || response.status > 399) return response;
  throw new Error(
    `baseUrl answered with a redirect (${response.status}), which is not followed: check baseUrl`,
  );
}

function wait(attempt, retryAfter, signal) {
  const asked = /^[0-9]{1,6}$/.test(retryAfter ?? '') ? Number(retryAfter) * 1_000 : 0;
  // Spreads the retries of many clients.
  const own = FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + Math.random());
  return pause(Math.min(Math.max(asked, own), LONGEST_WAIT_MS), undefined, { signal });
}

const isLoopback = (url) => /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(?::[0-9]+)?(?:\/|$)/.test(url);

/** A request at the webhook's address that does not come from us, or is older than five minutes: answer it with 401. */
export class WebhookRefused extends Error {
  name = 'WebhookRefused';
}

/**
 * The event in a request to your webhook. `body` is what arrived, unparsed (Buffer, Uint8Array or string); `headers` are
 * Node's or a `Headers`; `secrets` are all that you accept now: a value that can't be a secret is skipped.
 * Throws WebhookRefused for everything that is not genuine.
 */
export function readWebhook({ body, headers, secrets, now = Date.now() / 1_000 }) {
  const named = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const raw = Buffer.from(body);
  if (!verify(raw, named, secrets, now))
    throw new WebhookRefused('the signature or the time of the webhook is not right');
  return JSON.parse(raw.toString('utf8'));
}
