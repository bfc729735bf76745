import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CURL, itWith } from '@supplier/lib/testing/programs';
import type { StatusObject } from '../../harness/schemas.ts';
import { readStack } from '../../harness/stack.ts';
import { supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';
import { delivered } from '../../harness/webhooks.ts';

const run = promisify(execFile);
const LOCAL_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const MARK = '\n=====\n';
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
/** An empty folder: a reader has only the page. */
const folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns the commands on the served page, one text per box. */
async function commandsOfPage(): Promise<string[]> {
  const page = await (await fetch(`${readStack().pages}/guides/quickstart`)).text();
  const boxes = page.matchAll(/class="language-sh[\s\S]*?<code[^>]*>(<span class="line">[\s\S]*?)<\/code>/g);
  return [...boxes].map(([, code = '']) =>
    code
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/&(#x([0-9A-Fa-f]+)|#39|\w+);/g, (all, name, hex) =>
        hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (ENTITIES[name] ?? all),
      ),
  );
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

itWith(CURL)('the quickstart works as published, from a credential to a verified webhook', async () => {
  const api = supplier('alpha');
  const env = { PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder };
  const boxes = await commandsOfPage();
  expect(boxes).toHaveLength(6);
  const [prepare = '', send = '', again = '', read = '', receive = '', sample = ''] = boxes.map((box) =>
    box.replaceAll('sss_test_YOUR_CREDENTIAL', api.credential),
  );
  writeFileSync(join(folder, 'steps.sh'), `${prepare}\n${send}\nprintf '\\n=====\\n'\n${again}`);
  const { stdout } = await run('sh', ['-e', 'steps.sh'], { cwd: folder, env });
  const [first, second] = stdout
    .split(MARK)
    .map((text) => (text.trim() === '' ? undefined : JSON.parse(text)));
  expect(first).toMatchObject({ status: 'accepted', environment: 'sandbox' });
  expect(second).toMatchObject({ submission_id: first.submission_id });

  writeFileSync(join(folder, 'read.sh'), `${prepare}\nREFERENCE=${first.external_reference}\n${read}`);
  const readIt = async () => {
    const found: StatusObject = JSON.parse((await run('sh', ['-e', 'read.sh'], { cwd: folder, env })).stdout);
    if (!found.application_reference) throw new NotYet(found.status);
    return found;
  };
  const status = await waitFor('an Application', readIt);
  expect(status.submission_id).toBe(first.submission_id);

  const { headers, rawBody, envelope } = await delivered(api, first, 'it is accepted');
  const secret = readStack().suppliers.alpha?.webhookSecret ?? '';
  const port = await freePort();
  const changed = receive.replace(LOCAL_SECRET, secret).replace(/serve \d+/, `serve ${port}`);
  writeFileSync(
    join(folder, 'receive.sh'),
    `${prepare}\n${changed.replace('WEBHOOK_SECRETS=', 'exec env WEBHOOK_SECRETS=')}`,
  );
  const receiver = spawn('sh', ['-e', 'receive.sh'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const lines = createInterface(receiver.stdout);
    const arrive = (body: string) =>
      fetch(`http://127.0.0.1:${port}/`, {
        method: 'POST',
        headers: {
          'svc-webhook-timestamp': String(headers['svc-webhook-timestamp']),
          'svc-webhook-signature': String(headers['svc-webhook-signature']),
        },
        body,
      });
    const said = once(lines, 'line');
    const genuine = await waitFor('the receiver', () => arrive(rawBody), { throughErrors: true });
    expect(genuine.status).toBe(204);
    expect(String(await said)).toBe(`${envelope.id} ${envelope.type} ${envelope.occurred_at}`);
    expect((await arrive(`${rawBody} `)).status).toBe(401);
    const here = sample.replace(LOCAL_SECRET, secret).replace(/:\d+/, `:${port}`);
    writeFileSync(join(folder, 'sample.sh'), here);
    const sent = await run('sh', ['-e', 'sample.sh'], { cwd: folder, env });
    expect(sent.stdout).toContain('80 of 80 responses are correct');
  } finally {
    receiver.kill();
    await once(receiver, 'exit');
  }
  expect(existsSync(join(folder, 'verify.mjs'))).toBe(true);
});
