// Verifies webhooks. Node 18 or later, no dependencies.
import { createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const TOLERANCE_SECONDS = 300;
const LARGEST_BODY = 1024 * 1024;
/** Anything else, such as an empty variable, could be guessed by whoever wants to sign. */
const SECRET = /^whsec_\S/;

/** Whether a value can be a signing secret. */
export const isSecret = (value) => typeof value === 'string' && SECRET.test(value);

/**
 * True when the request is genuine. `rawBody` is the body as it arrived (Buffer), `headers` have lower-case names, and
 * `secrets` are all that you accept at the moment: a value that cannot be a secret is skipped. `now` is Unix time in
 * seconds; null leaves the age unchecked, which is for test vectors only.
 */
export function verify(rawBody, headers, secrets, now = Date.now() / 1000) {
  const timestamp = headers['svc-webhook-timestamp'] ?? '';
  if (!/^[0-9]{1,15}$/.test(timestamp)) return false;
  if (now !== null && Math.abs(now - Number(timestamp)) > TOLERANCE_SECONDS) return false;
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

if (isProgram()) {
  const [command, argument] = process.argv.slice(2);
  if (command === 'vectors') process.exit(wrongVectors(argument) === 0 ? 0 : 1);
  if (command === 'serve') {
    const secrets = (process.env.WEBHOOK_SECRETS ?? '').split(',').filter(isSecret);
    if (secrets.length === 0) {
      console.error('WEBHOOK_SECRETS must be set to your signing secret, which starts with whsec_.');
      process.exit(64);
    }
    createServer((request, response) => receive(request, response, secrets)).listen(
      Number(argument),
      '127.0.0.1',
    );
  }
}
