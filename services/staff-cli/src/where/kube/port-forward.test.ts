import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { AccountService } from '@supplier/proto/account/v1/account';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type FakeKubectl, fakeKubectl } from '../../../testing/fake-kubectl.ts';
import { type PlayedCluster, playCluster } from '../../../testing/played-cluster.ts';
import { tokenOf } from '../../../testing/played-services.ts';
import { runSss } from '../../../testing/run-sss.ts';
import { forgetToken, storeToken } from '../token-store.ts';

const HOST = 'leads-supplier-submissions-account.money.svc';
const LIST = ['accounts', 'list', '--context', 'cluster', '--kube', 'kind-leads/money'];

let kubectl: FakeKubectl;
let cluster: PlayedCluster;
let hangs: (() => void) | undefined;
const folder = mkdtempSync(join(tmpdir(), 'sss-'));
const settings = { token: tokenOf('sam'), folder };

beforeAll(async () => {
  kubectl = fakeKubectl();
  cluster = await playCluster(HOST, (router) => {
    router.service(AccountService, {
      listAccounts: () => ({ accounts: [{ name: 'Sample Brokers' }] }),
      async getAccount() {
        hangs?.();
        await delay(60_000, undefined, { ref: false });
        return {};
      },
    });
    router.service(SubmissionService, {});
  });
  const file = (name: string) => join(cluster.folder, name);
  const certificates = ['--client-certificate', file('me.pem'), '--client-key', file('me-key.pem')];
  const place = ['--kube', 'kind-leads/elsewhere', '--ca', file('ca.pem'), ...certificates];
  await runSss({ folder }, ['contexts', 'add', 'cluster', ...place]);
});
afterAll(async () => {
  kubectl.remove();
  await cluster.close();
  rmSync(folder, { recursive: true });
});

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

/** Resolves once the kubectl that was started has ended. */
async function ended(): Promise<void> {
  const [started, ...others] = kubectl.starts();
  expect(others).toEqual([]);
  const pid = started?.pid ?? 0;
  for (let tries = 0; isRunning(pid); tries += 1) {
    if (tries > 100) throw new Error(`kubectl (${pid}) still runs`);
    await delay(20);
  }
}

it('forwards a port to the called service, trusts only its name in the cluster, and ends kubectl', async () => {
  kubectl.plays({ forwardTo: cluster.port });
  const { code, said, noted } = await runSss(settings, [...LIST, '--csv']);
  expect({ code, noted }).toEqual({ code: 0, noted: '' });
  expect(said).toContain('Sample Brokers');
  expect(cluster.askedFor.at(-1)).toBe(HOST);
  expect(kubectl.starts().map(({ args }) => args)).toEqual([
    [
      '--context=kind-leads',
      '--namespace=money',
      'port-forward',
      '--address=127.0.0.1',
      'svc/leads-supplier-submissions-account',
      ':8443',
    ],
  ]);
  await ended();
});

it('uses the release that is named', async () => {
  kubectl.plays({ complains: 'Error' });
  await runSss(settings, [...LIST, '--kube-release', 'supplier-submissions']);
  expect(kubectl.starts()[0]?.args).toContain('svc/supplier-submissions-account');
});

it('uses the cluster and namespace of a context', async () => {
  kubectl.plays({ complains: 'Error' });
  await runSss(settings, ['accounts', 'list', '--context', 'cluster']);
  expect(kubectl.starts()[0]?.args).toContain('--namespace=elsewhere');
});

it('uses nothing of the current context, including its token, unless the context is named', async () => {
  kubectl.plays({ forwardTo: cluster.port });
  storeToken(folder, 'cluster', tokenOf('sam'));
  const place = ['accounts', 'list', '--kube', 'kind-leads/money'];
  const alone = await runSss({ folder }, place);
  expect(alone).toMatchObject({ code: 5, noted: 'there is no token for kind-leads/money: run `sss login`' });
  expect(kubectl.starts()).toEqual([]);
  expect(await runSss({ folder, context: 'cluster' }, place)).toMatchObject({ code: 0, noted: '' });
  forgetToken(folder, 'cluster');
});

it('refuses a server whose certificate is not for the service', async () => {
  kubectl.plays({ forwardTo: cluster.port });
  const { code, noted } = await runSss(settings, ['submissions', 'queues', ...LIST.slice(2)]);
  expect(`${code}: ${noted}`).toMatch(/^6: /);
  expect(noted).toContain(
    'the submission service at svc/leads-supplier-submissions-submission in kind-leads/money',
  );
  expect(noted).toContain("does not match certificate's altnames");
  expect(noted).toContain('its certificate is for another name: --tls-server-name');
  await ended();
});

it('ends kubectl on Ctrl-C', async () => {
  kubectl.plays({ forwardTo: cluster.port });
  const interruption = new AbortController();
  const called = new Promise<void>((resolve) => {
    hangs = resolve;
  });
  const show = ['accounts', 'show', '01998c1e-7d5c-7000-8000-000000000001', ...LIST.slice(2)];
  const run = runSss(settings, show, interruption.signal);
  await called;
  interruption.abort();
  expect(await run).toMatchObject({ code: 130 });
  await ended();
});

it('ends kubectl on Ctrl-C before it forwards', async () => {
  kubectl.plays('nothing');
  const interruption = new AbortController();
  const run = runSss(settings, LIST, interruption.signal);
  while (kubectl.starts().length === 0) await delay(10);
  interruption.abort();
  expect(await run).toMatchObject({ code: 130, noted: 'interrupted' });
  await ended();
});

it('ends kubectl when the process is interrupted', async () => {
  kubectl.plays('nothing');
  const main = fileURLToPath(new URL('../../main.ts', import.meta.url));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, SSS_CONFIG_DIR: folder, SSS_TOKEN: settings.token };
  const child = spawn(process.execPath, [main, ...LIST], { env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  while (kubectl.starts().length === 0) await delay(10);
  child.kill('SIGINT');
  expect(await exited).toEqual([130, null]);
  await ended();
});

it('stops waiting for kubectl after the timeout', async () => {
  kubectl.plays('nothing');
  const { code, noted } = await runSss(settings, [...LIST, '--timeout', '1']);
  expect({ code, noted }).toEqual({ code: 6, noted: 'kubectl has forwarded nothing within 1 s' });
  await ended();
});

it("reports kubectl's message when nothing listens in the pod", async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as { readonly port: number };
  await new Promise((resolve) => closed.close(resolve));
  kubectl.plays({ forwardTo: port });
  const { code, noted } = await runSss(settings, LIST);
  expect(`${code}: ${noted}`).toMatch(/^6: /);
  expect(noted).toContain('is not available');
  expect(noted).toContain('kubectl: E1123 an error occurred forwarding: ECONNREFUSED');
  await ended();
});

it.each([
  [
    'Error from server (NotFound): services "leads-supplier-submissions-account" not found\n',
    2,
    'there is no service leads-supplier-submissions-account in kind-leads/money',
  ],
  ['Error from server (NotFound): namespaces "money" not found\n', 2, 'kind-leads has no namespace money'],
  ['error: context "kind-leads" does not exist\n', 2, 'kubectl knows no context kind-leads'],
  [
    'Error from server (Forbidden): services "x" is forbidden: User "sam" cannot get resource\n',
    5,
    'kind-leads does not permit you to forward ports in the namespace money',
  ],
  ['error: You must be logged in to the server (Unauthorized)\n', 5, 'kind-leads does not know you'],
  [
    'error: unable to forward port because pod is not running. Current status=Pending\n',
    6,
    'no pod of leads-supplier-submissions-account runs in kind-leads/money',
  ],
  [
    'The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?\n',
    6,
    'kubectl cannot forward to leads-supplier-submissions-account in kind-leads/money',
  ],
])('explains the kubectl error %j', async (complains, code, message) => {
  kubectl.plays({ complains });
  const told = await runSss(settings, LIST);
  expect(told.code).toBe(code);
  expect(told.noted).toContain(message);
  expect(told.noted).toContain(`kubectl: ${complains.trim()}`);
});

it('reports that kubectl is not installed', async () => {
  const before = process.env.PATH;
  process.env.PATH = folder;
  const { code, noted } = await runSss(settings, LIST).finally(() => {
    process.env.PATH = before;
  });
  expect({ code, noted }).toEqual({
    code: 2,
    noted: 'kubectl is not installed, or not on the PATH: services of a cluster are reached through it',
  });
});

it.each([
  [['--kube', 'kind', ...LIST.slice(0, 2)], '--kube takes a context of kubectl and a namespace'],
  [['--kube-release', 'other', 'accounts', 'list'], '--kube-release is of --kube'],
  [['--stack', 'x.json', '--kube', 'kind/leads', 'accounts', 'list'], 'give one of them'],
])('refuses %j', async (args, message) => {
  const { code, noted } = await runSss(settings, args);
  expect(code).toBe(2);
  expect(noted).toContain(message);
});
