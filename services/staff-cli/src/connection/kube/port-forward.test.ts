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
import { type FakeCluster, startFakeCluster } from '../../../testing/fake-cluster.ts';
import { type FakeKubectl, fakeKubectl } from '../../../testing/fake-kubectl.ts';
import { tokenOf } from '../../../testing/fake-services.ts';
import { runSss } from '../../../testing/run-sss.ts';
import { forgetToken, storeToken } from '../token-store.ts';

const HOST = 'leads-supplier-submissions-account.money.svc';
const LIST = ['accounts', 'list', '--context', 'cluster', '--kube', 'kind-leads/money'];

let kubectl: FakeKubectl;
let cluster: FakeCluster;
let hangs: (() => void) | undefined;
const folder = mkdtempSync(join(tmpdir(), 'sss-'));
const settings = { token: tokenOf('sam'), folder };

beforeAll(async () => {
  kubectl = fakeKubectl();
  cluster = await startFakeCluster(HOST, (router) => {
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
  const target = ['--kube', 'kind-leads/elsewhere', '--ca', file('ca.pem'), ...certificates];
  await runSss({ folder }, ['contexts', 'add', 'cluster', ...target]);
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

it('sss forwards a port to the called service, trusts only its name in the cluster, and ends kubectl', async () => {
  kubectl.setBehaviour({ forwardTo: cluster.port });
  const { code, stdout, stderr } = await runSss(settings, [...LIST, '--csv']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('Sample Brokers');
  expect(cluster.serverNames.at(-1)).toBe(HOST);
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

it('--kube-release selects the release to forward to', async () => {
  kubectl.setBehaviour({ failsWith: 'Error' });
  await runSss(settings, [...LIST, '--kube-release', 'supplier-submissions']);
  expect(kubectl.starts()[0]?.args).toContain('svc/supplier-submissions-account');
});

it('sss forwards to the cluster and namespace of a context', async () => {
  kubectl.setBehaviour({ failsWith: 'Error' });
  await runSss(settings, ['accounts', 'list', '--context', 'cluster']);
  expect(kubectl.starts()[0]?.args).toContain('--namespace=elsewhere');
});

it('--kube uses nothing of the current context, including its token, unless the context is named', async () => {
  kubectl.setBehaviour({ forwardTo: cluster.port });
  storeToken(folder, 'cluster', tokenOf('sam'));
  const target = ['accounts', 'list', '--kube', 'kind-leads/money'];
  const alone = await runSss({ folder }, target);
  expect(alone).toMatchObject({ code: 5, stderr: 'not logged in to kind-leads/money: run `sss login`' });
  expect(kubectl.starts()).toEqual([]);
  expect(await runSss({ folder, context: 'cluster' }, target)).toMatchObject({ code: 0, stderr: '' });
  forgetToken(folder, 'cluster');
});

it('sss refuses a forwarded server whose certificate is not for the service', async () => {
  kubectl.setBehaviour({ forwardTo: cluster.port });
  const { code, stderr } = await runSss(settings, ['submissions', 'queues', ...LIST.slice(2)]);
  expect(`${code}: ${stderr}`).toMatch(/^6: /);
  expect(stderr).toContain(
    'the submission service at svc/leads-supplier-submissions-submission in kind-leads/money',
  );
  expect(stderr).toContain("does not match certificate's altnames");
  expect(stderr).toContain(
    'its certificate has another name: set it with `sss contexts add --tls-server-name',
  );
  await ended();
});

it('sss ends kubectl on Ctrl-C', async () => {
  kubectl.setBehaviour({ forwardTo: cluster.port });
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

it('sss ends kubectl when the process is interrupted', async () => {
  kubectl.setBehaviour('nothing');
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

it('sss stops waiting for kubectl after the timeout', async () => {
  kubectl.setBehaviour('nothing');
  const { code, stderr } = await runSss(settings, [...LIST, '--timeout', '1']);
  expect({ code, stderr }).toEqual({ code: 6, stderr: 'kubectl port-forward did not start within 1 s' });
  await ended();
});

it("sss reports kubectl's message when nothing listens in the pod", async () => {
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => closed.once('listening', resolve));
  const { port } = closed.address() as { readonly port: number };
  await new Promise((resolve) => closed.close(resolve));
  kubectl.setBehaviour({ forwardTo: port });
  const { code, stderr } = await runSss(settings, LIST);
  expect(`${code}: ${stderr}`).toMatch(/^6: /);
  expect(stderr).toContain('is not available');
  expect(stderr).toContain('kubectl: E1123 an error occurred forwarding: ECONNREFUSED');
  await ended();
});

it.each([
  [
    'Error from server (NotFound): services "leads-supplier-submissions-account" not found\n',
    2,
    'no service leads-supplier-submissions-account in kind-leads/money',
  ],
  ['Error from server (NotFound): namespaces "money" not found\n', 2, 'kind-leads has no namespace money'],
  ['error: context "kind-leads" does not exist\n', 2, 'kubectl has no context kind-leads'],
  [
    'Error from server (Forbidden): services "x" is forbidden: User "sam" cannot get resource\n',
    5,
    'you may not forward ports in namespace money of kind-leads',
  ],
  ['error: You must be logged in to the server (Unauthorized)\n', 5, 'kind-leads rejected your credentials'],
  [
    'error: unable to forward port because pod is not running. Current status=Pending\n',
    6,
    'no pod of leads-supplier-submissions-account is running in kind-leads/money',
  ],
  [
    'The connection to the server 127.0.0.1:6443 was refused - did you specify the right host or port?\n',
    6,
    'kubectl cannot forward to leads-supplier-submissions-account in kind-leads/money',
  ],
])('sss explains the kubectl error %j', async (failsWith, code, message) => {
  kubectl.setBehaviour({ failsWith });
  const result = await runSss(settings, LIST);
  expect(result.code).toBe(code);
  expect(result.stderr).toContain(message);
  expect(result.stderr).toContain(`kubectl: ${failsWith.trim()}`);
});

it('sss reports that kubectl is not installed', async () => {
  const before = process.env.PATH;
  process.env.PATH = folder;
  const { code, stderr } = await runSss(settings, LIST).finally(() => {
    process.env.PATH = before;
  });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: 'kubectl is not installed, or not on the PATH: --kube requires it',
  });
});

it.each([
  [['--kube', 'kind', ...LIST.slice(0, 2)], '--kube must be a kubectl context and a namespace'],
  [['--kube-release', 'other', 'accounts', 'list'], '--kube-release requires --kube'],
  [['--stack', 'x.json', '--kube', 'kind/leads', 'accounts', 'list'], 'give either --kube or --stack'],
])('sss refuses %j', async (args, message) => {
  const { code, stderr } = await runSss(settings, args);
  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
