// Verifies webhooks, and tests a receiver: node verify.mjs --help. Node 18.17 or later, no dependencies.
import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { request as requestTls } from 'node:https';
import { isIP } from 'node:net';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const TOLERANCE_SECONDS = 300;
const LARGEST_BODY = 1024 * 1024;
/** Anything else, such as an empty variable, would let anyone sign; a pasted line end would be part of the key. */
const SECRET = /^whsec_[A-Za-z0-9_-]{43}$/;

/** Whether a value can be a signing secret. */
export const isSecret = (value) => typeof value === 'string' && SECRET.test(value);

/**
 * True when the request is genuine. `rawBody` is the body as it arrived (Buffer), `headers` have lower-case names, and
 * `secrets` are all that you accept at the moment: a value that cannot be a secret is skipped. `now` is Unix time in
 * seconds, and nothing else will do; null leaves the age unchecked, which is for test vectors only.
 */
export function verify(rawBody, headers, secrets, now = Date.now() / 1000) {
  const timestamp = headers['svc-webhook-timestamp'] ?? '';
  if (!/^[0-9]{1,15}$/.test(timestamp)) return false;
  if (now !== null && (typeof now !== 'number' || !(Math.abs(now - Number(timestamp)) <= TOLERANCE_SECONDS)))
    return false;
  const entries = String(headers['svc-webhook-signature'] ?? '')
    .split(',')
    .map((entry) => entry.trim());
  return [...secrets].filter(isSecret).some((secret) => {
    const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(rawBody).digest('hex');
    return entries.some((entry) => equal(Buffer.from(entry), Buffer.from(`v1=${mac}`)));
  });
}

/** Takes as long for a wrong entry as for a right one. Lengths are no secret. */
function equal(one, other) {
  return one.length === other.length && timingSafeEqual(one, other);
}

/** Answers 204 to what is genuine and 401 to everything else. */
function receive(request, response, secrets) {
  const chunks = [];
  let size = 0;
  request.on('data', (chunk) => {
    size += chunk.length;
    if (size <= LARGEST_BODY) return chunks.push(chunk);
    chunks.length = 0;
    if (!response.headersSent) response.writeHead(413, { connection: 'close' }).end(() => request.destroy());
  });
  request.on('end', () => {
    if (size > LARGEST_BODY) return;
    const rawBody = Buffer.concat(chunks);
    if (!verify(rawBody, request.headers, secrets)) return response.writeHead(401).end();
    const event = JSON.parse(rawBody.toString('utf8'));
    // Here: skip an id that you have seen, put the event into your own queue, and answer. Work on it afterwards.
    console.log(event.id, event.type, event.occurred_at);
    response.writeHead(204).end();
  });
}

/** How many vectors come out other than they should. */
function wrongVectors(file) {
  const { vectors } = JSON.parse(readFileSync(file, 'utf8'));
  const wrong = vectors.filter((vector) => {
    const headers = {
      'svc-webhook-timestamp': vector.timestamp,
      'svc-webhook-signature': vector.signature,
    };
    return verify(Buffer.from(vector.body), headers, vector.secrets, vector.now ?? null) !== vector.valid;
  });
  for (const { description } of wrong) console.error(`wrong: ${description}`);
  console.log(`${vectors.length - wrong.length} of ${vectors.length} vectors are as they should be`);
  return vectors.length === 0 ? 1 : wrong.length;
}

/** Whether this file is the program; where another imports `verify`, the arguments are that one's. */
function isProgram() {
  try {
    return realpathSync(process.argv[1]) === fileURLToPath(import.meta.url);
  } catch {
    return false;
  }
}

/** What a receiver must return. A 5xx to a forged request would make it look like an outage. */
const ACCEPTS = { expects: 'a 2xx', isRight: (status) => status >= 200 && status < 300 };
const REFUSES = { expects: 'a 4xx, such as 401', isRight: (status) => status >= 400 && status < 500 };
const NOW = () => Math.floor(Date.now() / 1000);
const ATTEMPT_MS = 10_000;

/** The ways in which each event is sent: broken first, so that a receiver cannot know its id from a genuine request. */
const WAYS = [
  ['wrong signature', REFUSES, (body, secret) => signed(body, `${secret}x`)],
  ['changed body', REFUSES, (body, secret) => ({ ...signed(body, secret), body: `${body} ` })],
  ['no signature', REFUSES, (body, secret) => ({ ...signed(body, secret), signature: undefined })],
  ['empty secret', REFUSES, (body) => signed(body, '')],
  ['timestamp 10 minutes old', REFUSES, (body, secret) => signed(body, secret, NOW() - 600)],
  ['timestamp 10 minutes ahead', REFUSES, (body, secret) => signed(body, secret, NOW() + 600)],
  ['genuine', ACCEPTS, (body, secret) => signed(body, secret)],
  ['duplicate', ACCEPTS, (body, secret) => signed(body, secret)],
  ['out of order', ACCEPTS, (body, secret) => signed(olderThan(body), secret)],
  ['unknown type', ACCEPTS, (body, secret) => signed(withType(body, 'submission.unknown'), secret)],
];

function signed(body, secret, timestamp = NOW()) {
  const mac = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
  return { body, timestamp: String(timestamp), signature: `v1=${mac}` };
}

/** Another event of the same submission that happened a second earlier. */
function olderThan(body) {
  const event = JSON.parse(body);
  const occurred_at = new Date(Date.parse(event.occurred_at) - 1000).toISOString();
  return JSON.stringify({ ...event, id: randomUUID(), occurred_at });
}

const withType = (body, type) => JSON.stringify({ ...JSON.parse(body), id: randomUUID(), type });

/** Gives the samples new ids in each run, so that a receiver doesn't drop them as duplicates. */
function samples(only) {
  const unknown = only.filter((kind) => !(kind in SAMPLES));
  if (unknown.length > 0)
    throw new Misuse(`no such kind: ${unknown.join(', ')}. Kinds: ${Object.keys(SAMPLES).join(', ')}`);
  const fresh = new Map();
  const renew = (id) => fresh.get(id) ?? fresh.set(id, randomUUID()).get(id);
  return Object.entries(SAMPLES)
    .filter(([kind]) => only.length === 0 || only.includes(kind))
    .map(([kind, body]) => ({
      kind,
      body: body.replaceAll(/(?<="(?:submission_)?id":")[0-9a-f-]{36}/g, renew),
    }));
}

/** One event a line, or a JSON array of events. A line is sent byte for byte. */
function eventsIn(file) {
  const text = readFileSync(file, 'utf8').trim();
  const bodies = text.startsWith('[')
    ? JSON.parse(text).map((event) => JSON.stringify(event))
    : text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return bodies.map((body, at) => {
    const { id, type, occurred_at, data } = JSON.parse(body);
    if (
      [id, type, occurred_at].some((value) => typeof value !== 'string') ||
      typeof data !== 'object' ||
      Number.isNaN(Date.parse(occurred_at))
    )
      throw new Misuse(`${file}: event ${at + 1} needs id, type, occurred_at and data`);
    return { kind: `event ${at + 1}`, body };
  });
}

class Misuse extends Error {}

/** The receiver's address, which must be on this machine. Names other than localhost could lead anywhere. */
function loopback(text) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? '';
  const isLocal = host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username || url.password || !isLocal)
    throw new Misuse(
      'the URL must be of this machine: http://localhost, http://127.0.0.1 or http://[::1], with a port',
    );
  return url;
}

/** Resolves to the status, or to why there is none. Redirects are not followed; nothing is sent but to loopback addresses. */
function post(url, { body, timestamp, signature }) {
  const raw = Buffer.from(body);
  const { id } = JSON.parse(body);
  return new Promise((resolve) => {
    const options = {
      method: 'POST',
      agent: false,
      signal: AbortSignal.timeout(ATTEMPT_MS),
      // Development certificates are self-signed.
      rejectUnauthorized: false,
      lookup: (_name, { all }, found) => {
        const both = [
          { address: '127.0.0.1', family: 4 },
          { address: '::1', family: 6 },
        ];
        return all ? found(null, both) : found(null, '127.0.0.1', 4);
      },
      headers: {
        'Content-Type': 'application/json',
        'Content-Length': raw.length,
        'User-Agent': 'Svc-Webhooks/1',
        'Svc-Webhook-Id': id,
        'Svc-Webhook-Timestamp': timestamp,
        ...(signature === undefined ? {} : { 'Svc-Webhook-Signature': signature }),
      },
    };
    const sent = (url.protocol === 'https:' ? requestTls : request)(url, options, (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    sent.on('error', ({ name, code }) =>
      resolve(name === 'AbortError' || name === 'TimeoutError' ? 'no answer within 10 s' : (code ?? name)),
    );
    sent.end(raw);
  });
}

/** Resolves to the exit code. */
async function send(args) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { events: { type: 'string' }, only: { type: 'string' }, 'genuine-only': { type: 'boolean' } },
  });
  if (positionals.length !== 1) throw new Misuse('send needs the URL of your receiver');
  const url = loopback(positionals[0]);
  const secret = (process.env.WEBHOOK_SECRETS ?? '').split(',').find(isSecret);
  if (secret === undefined)
    throw new Misuse(
      'set WEBHOOK_SECRETS to the same value for send and for your receiver, such as whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
    );
  const events = values.events ? eventsIn(values.events) : samples(values.only?.split(',') ?? []);
  const ways = WAYS.filter(([way]) => !values['genuine-only'] || way === 'genuine');
  let wrong = 0;
  for (const { kind, body } of events) {
    console.log(`${kind}`);
    for (const [way, { expects, isRight }, broken] of ways) {
      const status = await post(url, broken(body, secret));
      if (status === 'ECONNREFUSED')
        throw new Misuse(`nothing listens at ${url.host}: start your receiver first`);
      const right = isRight(status);
      if (!right) wrong += 1;
      console.log(
        `  ${right ? 'ok   ' : 'WRONG'}  ${way.padEnd(26)}  ${status}${right ? '' : `: a correct receiver returns ${expects}`}`,
      );
    }
  }
  const sent = events.length * ways.length;
  console.log(`\n${sent - wrong} of ${sent} responses are correct.`);
  console.log('Check your own records: they must hold, once, this latest state of each submission:');
  for (const { data, occurred_at } of latest(events))
    console.log(
      `  ${data.submission_id}  ${data.status}, ${data.billing?.billing_status}, as of ${occurred_at}`,
    );
  return wrong === 0 ? 0 : 1;
}

function latest(events) {
  const bySubmission = new Map();
  for (const event of events.map(({ body }) => JSON.parse(body))) {
    const known = bySubmission.get(event.data.submission_id);
    if (!known || known.occurred_at < event.occurred_at) bySubmission.set(event.data.submission_id, event);
  }
  return [...bySubmission.values()];
}

const HELP = `Verifies webhooks, and tests a receiver on this machine without us.

  node verify.mjs send URL [--only KIND,...] [--events FILE] [--genuine-only]
      Sends a sample of every kind of event to your receiver, signed with the first secret in
      WEBHOOK_SECRETS. Each is sent genuine, as a duplicate, out of order, with an unknown type, and
      broken: wrong signature, changed body, no signature, empty secret, old or future timestamp.
      URL must be of this machine, such as http://localhost:9000/webhooks.
      --only KIND,...   only these samples: KINDS
      --events FILE     your own events instead of the samples: one a line, or a JSON array
      --genuine-only    only the genuine requests
  node verify.mjs samples         Prints the samples, one a line, as --events reads them.
  node verify.mjs serve PORT      A receiver on 127.0.0.1, with the secrets in WEBHOOK_SECRETS.
  node verify.mjs vectors FILE    Checks verify() against the published test vectors.

Exit codes: 0 all is well; 1 an answer or a verdict is wrong; 64 the command cannot be used like this.`;

async function main([command, ...args]) {
  if ([command, ...args].some((argument) => ['help', '--help', '-h'].includes(argument))) {
    console.log(HELP.replace('KINDS', Object.keys(SAMPLES).join(', ')));
    return 0;
  }
  if (command === 'send') return await send(args);
  if (command === 'vectors' && args.length === 1) return wrongVectors(args[0]) === 0 ? 0 : 1;
  if (command === 'samples' && args.length === 0) {
    for (const body of Object.values(SAMPLES)) console.log(body);
    return 0;
  }
  if (command === 'serve' && args.length === 1) return serve(Number(args[0]));
  throw new Misuse('expected send, samples, serve or vectors; --help explains them');
}

/** Serves until it is stopped. */
function serve(port) {
  const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(',').filter(isSecret);
  if (secrets.length === 0)
    throw new Misuse(
      'WEBHOOK_SECRETS must be your signing secret (whsec_ and 43 characters), without spaces, quotes or a line end',
    );
  createServer((incoming, response) => receive(incoming, response, secrets)).listen(port, '127.0.0.1');
}

// SAMPLES: generated, one of each kind of event, byte for byte as they are sent
const SAMPLES = {
  accepted:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e964","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"pending","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":null}}}',
  billable:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e965","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.460Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"billable","billable_at":"2026-11-20T09:30:01.460Z","billing_model":"accepted_submission","not_billable_reason":null}}}',
  handoff:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e966","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.517Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"billable","billable_at":"2026-11-20T09:30:01.460Z","billing_model":"accepted_submission","not_billable_reason":null},"handoff":{"customer_journey_url":"https://pages.supplier.example/journey/p2Xc9Lw7eQ5rV1uGmN3bKsZ8tJyFhDaMoE4iRxCvB6n","expires_at":"2026-11-23T09:30:01.392Z","single_use":true}}}',
  returned:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e967","type":"submission.status_changed","occurred_at":"2026-11-21T14:12:09.015Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","external_reference":"lead-2026-000417","level":"application","status":"returned","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"returned"},"return":{"reason_category":"outstanding_ccjs","reason_category_version":"v1","returned_at":"2026-11-21T14:12:09.015Z"}}}',
  rejected:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e968","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d48","external_reference":"lead-2026-000418","level":"application","status":"rejected","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":null,"application_created_at":null,"billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"rejected"}}}',
  duplicate:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e969","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d49","external_reference":"lead-2026-000419","level":"application","status":"duplicate_not_accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":null,"application_created_at":null,"billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"duplicate"}}}',
  basic:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e960","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.205Z","data":{"environment":"production","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d45","external_reference":"lead-2026-000415","level":"basic","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.205Z","application_reference":null,"application_created_at":null,"billing":{"billing_status":"pending","billable_at":null,"billing_model":"application_created","not_billable_reason":null}}}',
  sandbox:
    '{"id":"01937f2c-6b94-7f0a-a3de-5c2f18b0e961","type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"environment":"sandbox","submission_id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d46","external_reference":"lead-2026-000416","level":"application","status":"accepted","received_at":"2026-11-20T09:30:01.204Z","decided_at":"2026-11-20T09:30:01.392Z","application_reference":"APP-7K3M9QX2TB","application_created_at":"2026-11-20T09:30:01.392Z","billing":{"billing_status":"not_billable","billable_at":null,"billing_model":"accepted_submission","not_billable_reason":"sandbox"}}}',
};
// END OF SAMPLES

if (isProgram()) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (
      !(error instanceof Misuse) &&
      error.code?.startsWith('ERR_PARSE_ARGS') !== true &&
      error.code !== 'ENOENT' &&
      !(error instanceof SyntaxError)
    )
      throw error;
    console.error(error.message);
    process.exitCode = 64;
  }
}
