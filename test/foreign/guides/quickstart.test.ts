import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { CURL, itWith, PYTHON, PYTHON_REQUESTS } from '@supplier/lib/testing/programs';
import { delivery } from '../../harness/enquiries.ts';
import type { StatusObject } from '../../harness/schemas.ts';
import { readStack } from '../../harness/stack.ts';
import { createdBasic, supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';
import { delivered } from '../../harness/webhooks.ts';

const run = promisify(execFile);
const LOCAL_SECRET = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8';
const MARK = '\n=====\n';
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
/** An empty folder: a reader has only the page. */
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quickstart-'));
});
afterEach(() => rmSync(folder, { recursive: true }));
const env = () => ({ PATH: `${dirname(process.execPath)}:${process.env.PATH}`, HOME: folder });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((closed) => server.close(closed));
  return typeof address === 'object' && address ? address.port : 0;
}

interface Box {
  readonly language: string;
  readonly text: string;
}
const BOX = /class="language-(\w+)[\s\S]*?<code[^>]*>(<span class="line">[\s\S]*?)<\/code>/g;

const boxesIn = (html: string): Box[] =>
  [...html.matchAll(BOX)].map(([, language = '', code = '']) => ({
    language,
    text: code
      .replaceAll(/<[^>]+>/g, '')
      .replaceAll(/&(#x([0-9A-Fa-f]+)|#39|\w+);/g, (all, name, hex) =>
        hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (ENTITIES[name] ?? all),
      ),
  }));

/** Returns the boxes of the served page, and those of each step by the name of their tab. */
async function readPage() {
  const page = await (await fetch(`${readStack().pages}/guides/quickstart`)).text();
  const boxes = boxesIn(page);
  const steps = page
    .split('class="vp-code-group')
    .slice(1)
    .map((group) => {
      const [tabs = '', blocks = ''] = group.split('class="blocks"');
      const shown = boxesIn(blocks);
      const names = [...tabs.matchAll(/<label[^>]*>([^<]*)<\/label>/g)].map(([, name = '']) => name);
      return new Map(names.map((name, at) => [name, shown[at]]));
    });
  expect(steps.map((step) => [...step.keys()])).toEqual([
    ...[
      ['curl', 'Node', 'Python'],
      ['curl', 'Node', 'Python'],
      ['curl', 'Node', 'Python'],
    ],
    ...[
      ['Node', 'Python'],
      ['Node', 'Python'],
    ],
  ]);
  const credential = supplier('alpha').credential;
  return {
    prepare: (boxes[0]?.text ?? '').replace('sss_test_YOUR_CREDENTIAL', credential),
    samples: boxes.filter(({ language }) => language === 'json').map(({ text }) => JSON.parse(text)),
    output: boxes.find(({ language }) => language === 'txt')?.text ?? '',
    steps: steps.map((step) => (tab: string) => commandOf(step.get(tab))),
  };
}

/** Returns the command of a step. A program is saved and run as its first line says. */
function commandOf(box: Box | undefined): string {
  if (!box || box.language === 'sh') return (box?.text ?? '').replaceAll('python3', PYTHON_REQUESTS.command);
  const [, name = '', command = ''] = /^(?:\/\/|#) Save as (\S+), and run: (.*)$/m.exec(box.text) ?? [];
  writeFileSync(join(folder, name), box.text);
  return command.replace('pip install requests && ', '').replace('python3', PYTHON_REQUESTS.command);
}

/** What differs from one submission to another. An Application comes a moment later. */
const own = ({ ...status }: StatusObject) => ({
  submission_id: status.submission_id,
  external_reference: status.external_reference,
  received_at: status.received_at,
  decided_at: status.decided_at,
  application_reference: status.application_reference,
  application_created_at: status.application_created_at,
});

describe.each([
  ['curl', [CURL]],
  ['Node', []],
  ['Python', [PYTHON_REQUESTS]],
] as const)('the quickstart with %s', (tab, programs) => {
  itWith(...programs)(
    'sends an enquiry, sends it again and reads it, with the responses on the page',
    async () => {
      const page = await readPage();
      const [send, again, read] = page.steps.map((step) => step(tab));
      const prepare = page.prepare.replace('lead-', `${tab}-`);
      writeFileSync(join(folder, 'steps.sh'), `${prepare}\n${send}\nprintf '\\n=====\\n'\n${again}`);
      const { stdout } = await run('sh', ['-e', 'steps.sh'], { cwd: folder, env: env() });
      const [first, second]: StatusObject[] = stdout.split(MARK).map((text) => JSON.parse(text));
      const [, sample, later] = page.samples;
      expect({ ...first, ...own(sample) }).toEqual(sample);
      expect(second?.submission_id).toBe(first?.submission_id);

      const reading = `${prepare}\nREFERENCE=${first?.external_reference}\n${read}`;
      writeFileSync(join(folder, 'read.sh'), reading);
      const status = await waitFor('an Application', async () => {
        const found: StatusObject = JSON.parse(
          (await run('sh', ['-e', 'read.sh'], { cwd: folder, env: env() })).stdout,
        );
        if (!found.application_reference) throw new NotYet(found.status);
        return found;
      });
      expect(status.submission_id).toBe(first?.submission_id);
      expect({ ...status, ...own(later) }).toEqual(later);
    },
  );
});

describe.each([
  ['Node', [CURL]],
  ['Python', [CURL, PYTHON]],
] as const)('the receiver of the quickstart in %s', (tab, programs) => {
  itWith(...programs)('verifies a genuine webhook, and answers every sample as the page says', async () => {
    const api = supplier('alpha');
    const page = await readPage();
    const [receive = '', sample = ''] = page.steps.slice(3).map((step) => step(tab));
    const first = await createdBasic(api, delivery());
    const { headers, rawBody, envelope } = await delivered(api, first, 'it is accepted');
    const secret = readStack().suppliers.alpha?.webhookSecret ?? '';
    const port = await freePort();
    const here = (commands: string) => commands.replace(LOCAL_SECRET, secret).replace('9000', String(port));
    writeFileSync(
      join(folder, 'receive.sh'),
      `${page.prepare}\n${here(receive).replace(/^(?=\S+ verify.*serve)/m, 'exec ')}`,
    );
    const receiver = spawn('sh', ['-e', 'receive.sh'], {
      cwd: folder,
      env: env(),
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
      writeFileSync(join(folder, 'sample.sh'), here(sample));
      const sent = await run('sh', ['-e', 'sample.sh'], { cwd: folder, env: env() });
      expect(page.output).toBe('80 of 80 responses are correct.');
      expect(sent.stdout.split('\n')).toContain(page.output);
    } finally {
      receiver.kill();
      await once(receiver, 'exit');
    }
  });
});
