import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { itWith, PYTHON_REQUESTS } from '@supplier/lib/testing/programs';
import { newReference } from '../../harness/enquiries.ts';
import { call } from '../../harness/http.ts';
import { readStack } from '../../harness/stack.ts';
import { supplier } from '../../harness/suppliers.ts';

const run = promisify(execFile);
/** A supplier's working folder, outside any checkout. */
const folder = mkdtempSync(join(tmpdir(), 'clients-'));
const ENQUIRY = resolve(import.meta.dirname, '../../../docs/suppliers/example/enquiry.json');
const TSC = resolve(import.meta.dirname, '../../../node_modules/.bin/tsc');
const SECRET = 'whsec_of-a-test-that-opens-nothing-0123456789abcd';
const EVENT = '{"id":"01937f2c-6a10-7c4e-9b1d-3f5a8e2c7d40","type":"submission.status_changed"}';
const itInPython = itWith(PYTHON_REQUESTS);

/** A proxy between the programs and the gateway: drops the first request, refuses the second, and forwards the rest. */
let unreliable: Server;
let bodies: string[] = [];
let wheel: string;

beforeAll(async () => {
  unreliable = createServer(async (request, response) => {
    bodies.push(await text(request));
    if (bodies.length === 1) {
      request.socket.destroy();
      return;
    }
    if (bodies.length === 2) {
      response.writeHead(503, { 'retry-after': '1' }).end();
      return;
    }
    const { authorization = '' } = request.headers;
    const answer = await call(readStack().gateway, {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: { authorization, 'content-type': 'application/json' },
      ...(request.method === 'POST' ? { body: bodies.at(-1) ?? '' } : {}),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.text);
  });
  await new Promise<void>((ready) => unreliable.listen(0, '127.0.0.1', ready));
  const page = await (await fetch(`${readStack().pages}/guides/downloads`)).text();
  const download = async (name: RegExp) => {
    const [path = ''] = page.match(name) ?? [];
    const file = join(folder, path.split('/').at(-1) ?? '');
    writeFileSync(file, Buffer.from(await (await fetch(`${readStack().pages}${path}`)).arrayBuffer()));
    return file;
  };
  wheel = await download(/\/guides\/downloads\/supplier_submissions[^"]*\.whl/);
  const packed = await download(/\/guides\/downloads\/supplier-submissions[^"]*\.tgz/);
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--prefix', folder, packed];
  await run('npm', args, { cwd: folder });
});
beforeEach(() => {
  bodies = [];
});
afterAll(() => {
  unreliable.close();
  rmSync(folder, { recursive: true });
});

/** Runs the program with the required environment; resolves to its output, parsed as JSON. */
async function printed(command: string, name: string, program: string, more: Record<string, unknown> = {}) {
  const file = join(folder, name);
  writeFileSync(file, program);
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', SECRET).update(`${timestamp}.${EVENT}`).digest('hex');
  const given = {
    baseUrl: `http://127.0.0.1:${(unreliable.address() as AddressInfo).port}`,
    credential: supplier('alpha').credential,
    secret: SECRET,
    event: EVENT,
    headers: { 'svc-webhook-timestamp': timestamp, 'svc-webhook-signature': `v1=${signature}` },
    ...more,
  };
  const env = { PATH: process.env.PATH, PYTHONPATH: wheel, GIVEN: JSON.stringify(given) };
  const { stdout } = await run(command, [file], { cwd: folder, env });
  return JSON.parse(stdout);
}

const JAVASCRIPT = `
import { createClient, readWebhook, WebhookRefused } from 'supplier-submissions';
const { baseUrl, credential, body, secret, event, headers } = JSON.parse(process.env.GIVEN);
const submissions = createClient({ baseUrl, credential });
const created = await submissions.POST('/v2/supplier-submissions', { body });
const read = await submissions.GET('/v1/supplier-submissions/{submission_id}', {
  params: { path: { submission_id: created.data.submission_id } },
});
const refused = await submissions.POST('/v2/supplier-submissions', { body: { ...body, level: 'none' } });
const { id } = readWebhook({ body: event, headers, secrets: [secret] });
let forged;
try {
  readWebhook({ body: event + ' ', headers: new Headers(headers), secrets: [secret] });
} catch (error) {
  forged = error instanceof WebhookRefused;
}
console.log(JSON.stringify({ created: created.data, read: read.data, code: refused.error.error.code, id, forged }));
`;
const PYTHON = `
import json, os
from supplier_submissions import Refused, Submissions, WebhookRefused, read_webhook
given = json.loads(os.environ["GIVEN"])
submissions = Submissions(given["baseUrl"], given["credential"])
created = submissions.create_delivery_submission(given["body"])
read = submissions.get_submission(created["submission_id"])
try:
    submissions.create_delivery_submission({**given["body"], "level": "none"})
except Refused as refused:
    code = refused.code
event = given["event"].encode()
id = read_webhook(event, given["headers"], [given["secret"]])["id"]
try:
    read_webhook(event + b" ", given["headers"], [given["secret"]])
    forged = False
except WebhookRefused:
    forged = True
print(json.dumps({"created": created, "read": read, "code": code, "id": id, "forged": forged}))
`;

describe.each([
  { language: 'Node', command: process.execPath, name: 'stranger.mjs', program: JAVASCRIPT, declare: it },
  {
    language: 'Python',
    command: PYTHON_REQUESTS.command,
    name: 'stranger.py',
    program: PYTHON,
    declare: itInPython,
  },
])('the package for $language, as downloaded', ({ command, name, program, declare }) => {
  declare(
    'retries with the same bytes, reads, reports refusals, and accepts only genuine webhooks',
    async () => {
      const reference = newReference();
      const body = { ...JSON.parse(readFileSync(ENQUIRY, 'utf8')), external_reference: reference };
      const { created, read, code, id, forged } = await printed(command, name, program, { body });
      expect(created).toMatchObject({ external_reference: reference });
      expect(read).toMatchObject({ submission_id: created.submission_id, external_reference: reference });
      expect(code).toBe('validation_error');
      expect([id, forged]).toEqual([JSON.parse(EVENT).id, true]);
      expect(bodies).toHaveLength(5);
      expect(new Set(bodies.slice(0, 3)).size).toBe(1);
    },
  );
});

const REDIRECTED_JAVASCRIPT = `
import { createClient } from 'supplier-submissions';
const { baseUrl, credential, body } = JSON.parse(process.env.GIVEN);
const said = await createClient({ baseUrl, credential }).POST('/v2/supplier-submissions', { body }).then(
  () => 'answered',
  (error) => error.message,
);
console.log(JSON.stringify(said));
`;
const REDIRECTED_PYTHON = `
import json, os
from supplier_submissions import Refused, Submissions
given = json.loads(os.environ["GIVEN"])
try:
    Submissions(given["baseUrl"], given["credential"]).create_delivery_submission(given["body"])
    said = "answered"
except Refused as refused:
    said = str(refused)
print(json.dumps(said))
`;

describe.each([
  {
    language: 'Node',
    command: process.execPath,
    name: 'redirected.mjs',
    program: REDIRECTED_JAVASCRIPT,
    declare: it,
  },
  {
    language: 'Python',
    command: PYTHON_REQUESTS.command,
    name: 'redirected.py',
    program: REDIRECTED_PYTHON,
    declare: itInPython,
  },
])('the package for $language', ({ command, name, program, declare }) => {
  declare.each([302, 308])('does not follow a redirect with status %d', async (status) => {
    const followed: string[] = [];
    const elsewhere = createServer((request, response) => {
      followed.push(request.url ?? '');
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
    const redirecting = createServer((request, response) => {
      request.resume();
      const { port } = elsewhere.address() as AddressInfo;
      response.writeHead(status, { location: `http://127.0.0.1:${port}/taken` }).end();
    });
    for (const server of [elsewhere, redirecting])
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
    try {
      const baseUrl = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
      const body = JSON.parse(readFileSync(ENQUIRY, 'utf8'));
      expect(await printed(command, name, program, { baseUrl, body })).toMatch(String(status));
      expect(followed).toEqual([]);
    } finally {
      for (const server of [elsewhere, redirecting]) server.close();
    }
  });
});

it('the package for Node has types for fields and values', async () => {
  const program = (level: string) => `import { createClient } from 'supplier-submissions';
export const send = () =>
  createClient({ baseUrl: 'https://x.example', credential: '' })
    .POST('/v1/supplier-submissions/{submission_id}/promotion', { params: { path: { submission_id: '' } }, body: ${level} });
export const read = async () => {
  const { data, error } = await createClient({ baseUrl: 'https://x.example', credential: '' })
    .GET('/v1/supplier-submissions/{submission_id}', { params: { path: { submission_id: '' } } });
  return data ? data.status : error.error.code;
};`;
  const compiled = async (level: string) => {
    const file = join(folder, 'typed.mts');
    writeFileSync(file, program(level));
    const args = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', '', file];
    return await run(TSC, args, { cwd: folder }).then(
      () => 'compiles',
      ({ stdout }: { stdout: string }) => stdout,
    );
  };
  expect(await compiled('undefined as never')).toBe('compiles');
  expect(await compiled('{ operation_idempotency_key: 7 }')).toMatch(
    /operation_idempotency_key|not assignable/,
  );
});
