// What `helm test` runs beside the release: a gateway answers, and, with a credential of the sandbox, a lead is decided and
// read back. Says each step in a line; ends with 1 at the first that does not hold.
import { randomUUID } from 'node:crypto';

const { RELEASE_API: api, RELEASE_CREDENTIAL: credential } = process.env;
const ANSWER_MS = 15_000;
// The first process of a container has no default for signals.
process.on('SIGTERM', () => process.exit(143));

async function call(method, path, body) {
  const headers = { 'content-type': 'application/json' };
  if (credential) headers.authorization = `Bearer ${credential}`;
  const signal = AbortSignal.timeout(ANSWER_MS);
  const answer = await fetch(`${api}${path}`, { method, headers, body: JSON.stringify(body), signal });
  return { status: answer.status, answer: await answer.json() };
}

function submission() {
  const now = new Date().toISOString();
  const once = randomUUID();
  return {
    external_reference: `helm-test-${once}`,
    level: 'basic',
    first_name: 'Helm',
    last_name: 'Test',
    telephone: `020 7946 ${String(Date.now() % 10_000).padStart(4, '0')}`,
    email: `${once}@customer.example`,
    // Simulated by the sandbox: accepted immediately.
    business_name: 'Sandbox Accept Ltd',
    funding_amount: 25_000,
    attribution: { source: 'helm test' },
    contact_expectation: {
      ...{ permission_stated: true, channels: ['phone'] },
      ...{ wording_version: 'helm-test', captured_at: now },
    },
    capture_timestamp: now,
  };
}

async function test() {
  if (!credential) {
    const { status, answer } = await call('GET', '/v1/supplier-submissions?external_reference=helm-test');
    if (status !== 401) return `asked without a credential, the gateway answers ${status}: ${said(answer)}`;
    console.log('the gateway answers, and asks for a credential (401)');
    console.log(
      'no submission was sent: name the Secret of a sandbox credential in tests.credential.existingSecret',
    );
    return undefined;
  }
  const sent = await call('POST', '/v2/supplier-submissions', submission());
  const { status, submission_id: id } = sent.answer;
  if (sent.status >= 300) return `the submission is refused with ${sent.status}: ${said(sent.answer)}`;
  console.log(`a submission was taken: ${id} is ${status}`);
  const read = await call('GET', `/v1/supplier-submissions/${id}`);
  if (read.status !== 200) return `${id} is answered with ${read.status}: ${said(read.answer)}`;
  console.log(`it is read back as ${read.answer.status}`);
  return undefined;
}

/** Without what was sent. */
const said = (answer) => JSON.stringify(answer).slice(0, 500);

const wrong = await test().catch((error) => `${api} cannot be asked: ${error.cause?.code ?? error.message}`);
if (wrong) {
  console.error(wrong);
  process.exitCode = 1;
}
