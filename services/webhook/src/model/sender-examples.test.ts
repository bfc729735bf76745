import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually, itWith } from '@supplier/lib/testing';
import { EXAMPLE_RECEIVERS, type ExampleReceiver, whileServing } from '../../testing/example-receivers.ts';
import { signatureOf } from './signing.ts';

const scratch = mkdtempSync(join(tmpdir(), 'sender-examples-'));
afterAll(() => rmSync(scratch, { recursive: true }));

const SECRET = 'whsec_of-a-test-that-opens-nothing-0123456789abcd';
const KINDS = ['accepted', 'billable', 'handoff', 'returned', 'rejected', 'duplicate', 'basic', 'sandbox'];
const WAYS = 10;

/** Runs a sender; resolves to its exit code and output. */
async function run({ command }: ExampleReceiver, args: readonly string[], secrets = SECRET) {
  const [program, ...first] = command(scratch);
  const child = spawn(program, [...first, ...args], { env: { ...process.env, WEBHOOK_SECRETS: secrets } });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit') as Promise<[number]>,
  ]);
  return { code, stdout, stderr };
}

/** Resolves to whether the port accepts connections. */
async function listens(port: number): Promise<boolean> {
  const socket = connect(port, 'localhost');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

interface Received {
  readonly path: string;
  readonly body: string;
  readonly timestamp: string;
  readonly signature: string | undefined;
}

/** Runs `act` with the URL of a server that gives the configured responses; resolves to the received requests. */
async function whileAnswering(
  answer: RequestListener,
  act: (url: string) => Promise<void>,
): Promise<Received[]> {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const { headers, url: path = '' } = request;
    const body = await text(request);
    const signature = headers['svc-webhook-signature'] as string | undefined;
    received.push({ path, body, timestamp: String(headers['svc-webhook-timestamp']), signature });
    answer(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await act(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
  return received;
}

describe.each(EXAMPLE_RECEIVERS.filter(({ sends }) => sends))('sender in $language', (sender) => {
  for (const example of EXAMPLE_RECEIVERS)
    itWith(...sender.needs, ...example.needs)(
      `finds the example receiver in ${example.language} correct`,
      async () => {
        await whileServing({ example, secrets: SECRET, scratch }, async ({ port }) => {
          const url = `http://localhost:${port}/webhooks`;
          await eventually('the receiver listens', () => listens(port));
          const sent = await run(sender, ['send', url]);
          expect([sent.code, sent.stdout.split('\n').filter((line) => line.includes('WRONG'))]).toEqual([
            0,
            [],
          ]);
          expect(sent.stdout.split('\n').filter((line) => KINDS.includes(line))).toEqual(KINDS);
          expect(sent.stdout).toContain(`${KINDS.length * WAYS} of ${KINDS.length * WAYS} responses`);
        });
      },
    );

  itWith(...sender.needs)('reports what a receiver that accepts everything does wrong', async () => {
    const received = await whileAnswering(
      (_request, response) => response.writeHead(200).end(),
      async (url) => {
        const { code, stdout } = await run(sender, [
          'send',
          `${url}/hook?a=1`,
          '--only',
          'accepted,returned',
        ]);
        expect(code).toBe(1);
        const wrong = stdout.split('\n').filter((line) => line.includes('WRONG'));
        expect(wrong).toHaveLength(2 * 6);
        expect(wrong[0]).toMatch(/wrong signature +200: a correct receiver returns a 4xx/);
        expect(stdout).toContain('8 of 20 responses');
      },
    );
    expect(new Set(received.map(({ path }) => path))).toEqual(new Set(['/hook?a=1']));
    // The genuine request is valid, the duplicate is the same event, and the late one happened earlier.
    const [, , , , old, ahead, genuine, duplicate, late, unknown] = received;
    for (const one of [old, ahead, genuine, duplicate, late, unknown])
      expect(one?.signature).toBe(signatureOf(SECRET, Number(one?.timestamp), Buffer.from(one?.body ?? '')));
    const age = ({ timestamp = '' }: Partial<Received> = {}) =>
      Math.round((Date.now() / 1_000 - Number(timestamp)) / 60);
    expect([old, ahead, genuine].map(age)).toEqual([10, -10, 0]);
    expect(duplicate?.body).toBe(genuine?.body);
    const [event, earlier, foreign] = [genuine, late, unknown].map((one) => JSON.parse(one?.body ?? ''));
    expect(earlier.occurred_at < event.occurred_at).toBe(true);
    expect(earlier.data).toEqual(event.data);
    expect(new Set([event.id, earlier.id, foreign.id]).size).toBe(3);
    expect(foreign.type).not.toBe(event.type);
  });

  itWith(...sender.needs)('reports failures and redirects, and follows none', async () => {
    for (const status of [500, 302]) {
      const received = await whileAnswering(
        (_request, response) => response.writeHead(status, { location: '/elsewhere' }).end(),
        async (url) => {
          const { code, stdout } = await run(sender, ['send', url, '--only=sandbox']);
          expect([code, stdout.match(/WRONG/g)?.length]).toEqual([1, WAYS]);
        },
      );
      expect(received.map(({ path }) => path)).toEqual(Array(WAYS).fill('/'));
    }
  });

  itWith(...sender.needs)('replays a file of events byte for byte, as lines or as an array', async () => {
    const events = ['1', '2'].map(
      (id) =>
        `{"id":"${id}", "type":"submission.status_changed","occurred_at":"2026-11-20T09:30:01.392Z","data":{"submission_id":"Zoë"}}`,
    );
    const forms = { 'lines.jsonl': `${events.join('\r\n')}\r\n`, 'array.json': `[\n${events.join(',')}\n]` };
    for (const [name, content] of Object.entries(forms)) {
      const file = join(scratch, name);
      writeFileSync(file, content);
      const received = await whileAnswering(
        (_request, response) => response.writeHead(204).end(),
        async (url) => {
          const { code, stderr } = await run(sender, ['send', url, '--events', file, '--genuine-only']);
          expect([code, stderr]).toEqual([0, '']);
        },
      );
      const bodies = received.map(({ body }) => body);
      expect(bodies).toEqual(
        name === 'lines.jsonl' ? events : events.map((event) => JSON.stringify(JSON.parse(event))),
      );
    }
  });

  itWith(...sender.needs)('prints the latest state of a submission, wherever it is in the file', async () => {
    const at = (minute: string, status: string) => ({
      id: minute,
      type: 'submission.status_changed',
      occurred_at: `2026-11-20T09:${minute}:00.000Z`,
      data: { submission_id: 'one', status },
    });
    const file = join(scratch, 'out-of-order.json');
    const events = [at('31', 'received'), at('33', 'accepted'), at('32', 'returned')];
    writeFileSync(file, JSON.stringify(events));
    await whileAnswering(
      (_request, response) => response.writeHead(204).end(),
      async (url) => {
        const { stdout } = await run(sender, ['send', url, '--events', file, '--genuine-only']);
        const states = stdout.split('\n').filter((line) => line.startsWith('  one  '));
        expect(states).toEqual([expect.stringMatching(/accepted.*as of 2026-11-20T09:33/)]);
      },
    );
  });

  itWith(...sender.needs).each([
    'http://example.com/',
    'https://127.0.0.1.example.com/',
    'http://localhost.example.com/',
    'http://localhost@192.0.2.1/',
    'http://user:password@localhost/',
    'http://192.168.0.1/',
    'http://0.0.0.0/',
    'http://[::]/',
    'http://[::ffff:192.0.2.1]/',
    'ftp://localhost/',
    'localhost:8080',
    'file:///etc/passwd',
    '',
  ])('refuses a URL of another machine: %s', async (url) => {
    const { code, stdout, stderr } = await run(sender, ['send', url]);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(/^the URL must be of this machine/);
  });

  itWith(...sender.needs)('prints its usage', async () => {
    const help = await run(sender, ['send', '--help']);
    expect(help.code).toBe(0);
    for (const word of [...KINDS, '--events', '--genuine-only', 'Exit codes', 'WEBHOOK_SECRETS'])
      expect(help.stdout).toContain(word);
    const url = 'http://localhost:1';
    const misuses: [string[], RegExp][] = [
      [[], /--help/],
      [['sent'], /--help/],
      [['send'], /needs the URL/],
      [['send', url, '--only', 'nothing'], /no such kind: nothing/],
      [['send', url, '--evnts', 'x'], /--evnts/],
      [['send', url, '--events', join(scratch, 'none')], /none/],
      [['send', url], /nothing listens/],
    ];
    for (const [args, says] of misuses) {
      const { code, stderr } = await run(sender, args);
      expect([args, code]).toEqual([args, 64]);
      expect(stderr).toMatch(says);
      expect(stderr.trim().split('\n')).toHaveLength(1);
    }
    for (const secrets of ['', 'whsec_'])
      expect(await run(sender, ['send', url], secrets)).toMatchObject({
        code: 64,
        stderr: expect.stringContaining('WEBHOOK_SECRETS'),
      });
    writeFileSync(join(scratch, 'broken.json'), '{"id":1}');
    expect(await run(sender, ['send', url, '--events', join(scratch, 'broken.json')])).toMatchObject({
      code: 64,
    });
  });
});
