import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { KIND, withValues } from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import { ofKind } from './objects.ts';

const SCRIPT = readFileSync(join(CHART, 'files', 'release-test.mjs'), 'utf8');

/** Returns the gateway's response to a call. */
type Answers = (request: IncomingMessage) => readonly [status: number, body: object];

let server: Server | undefined;
afterEach(() => void server?.close());

async function ended(answers: Answers, credential?: string) {
  server = createServer((request, response) => {
    const [status, body] = answers(request);
    request.resume().on('end', () => response.writeHead(status).end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return run(api, credential);
}

async function run(api: string, credential?: string) {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
    env: { RELEASE_API: api, ...(credential && { RELEASE_CREDENTIAL: credential }) },
  });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (said += chunk));
  const [code] = await once(child, 'close');
  return { code, said };
}

describe('helm test script', () => {
  it('succeeds without a credential if the gateway requires one', async () => {
    const { code, said } = await ended(() => [401, {}]);
    expect([code, said]).toEqual([0, expect.stringContaining('tests.credential.existingSecret')]);
  });

  it('sends a submission and reads it back with a credential that only the gateway receives', async () => {
    const seen: string[] = [];
    const { code, said } = await ended(({ method = '', url = '', headers }) => {
      seen.push(`${method} ${url} ${headers.authorization}`);
      return method === 'POST'
        ? [201, { submission_id: 'sub-1', status: 'accepted' }]
        : [200, { status: 'accepted' }];
    }, 'secret');
    expect([code, seen]).toEqual([
      0,
      ['POST /v2/supplier-submissions Bearer secret', 'GET /v1/supplier-submissions/sub-1 Bearer secret'],
    ]);
    expect(said).toContain('sub-1 is accepted');
    expect(said).not.toContain('secret');
  });

  it.each([
    [
      'a gateway that accepts requests without a credential',
      () => [200, {}] as const,
      undefined,
      'answers 200',
    ],
    [
      'a refused submission',
      () => [403, { error: { code: 'forbidden' } }] as const,
      'secret',
      'refused with 403: {"error"',
    ],
  ])('fails with %s and reports the reason', async (_what, answers, credential, message) => {
    expect(await ended(answers, credential)).toEqual({ code: 1, said: expect.stringContaining(message) });
  });

  it('fails if the gateway does not listen and reports that', async () => {
    const closed = createServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const api = `http://127.0.0.1:${(closed.address() as AddressInfo).port}`;
    await new Promise((resolve) => closed.close(resolve));
    expect(await run(api)).toEqual({
      code: 1,
      said: `${api} cannot be asked: ECONNREFUSED\n`,
    });
  });
});

describeWithHelm('the pod of helm test', 4, (helm) => {
  it('is a hook with the named credential that can only reach the gateway', async () => {
    const objects = await helm.render(withValues(KIND, 'tests.credential.existingSecret="trial"'));
    const [pod] = ofKind(objects, 'Pod');
    // Leaves nothing behind: Helm prints the log before it deletes the pod.
    expect(pod?.metadata.annotations).toEqual({
      'helm.sh/hook': 'test',
      'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded,hook-failed',
      'helm.sh/hook-output-log-policy': 'hook-succeeded,hook-failed',
    });
    expect(JSON.stringify(pod)).toContain('"secretKeyRef":{"name":"trial","key":"bearer"}');
    const policies = ofKind(objects, 'NetworkPolicy');
    const mayReach = policies.filter((policy) =>
      JSON.stringify((policy as { spec?: { ingress?: unknown } }).spec?.ingress ?? []).includes(
        'release-test',
      ),
    );
    expect(mayReach.map(({ metadata }) => metadata.name)).toEqual([
      'leads-supplier-submissions-gateway-sandbox',
    ]);
  });

  it('is absent when disabled', async () => {
    const objects = await helm.render(withValues(KIND, 'tests.enabled=false'));
    expect(ofKind(objects, 'Pod')).toEqual([]);
    expect(JSON.stringify(objects)).not.toContain('release-test');
  });
});
