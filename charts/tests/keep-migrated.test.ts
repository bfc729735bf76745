import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KIND, PRODUCTION, withValues } from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import { ofKind, podsIn } from './objects.ts';

const SCRIPT = readFileSync(join(CHART, 'files', 'keep-migrated.mjs'), 'utf8');
/** Replaces the image's command: fails while a file of that name exists. */
const MIGRATE = `import { existsSync } from 'node:fs';
const fails = existsSync('fails');
console.log(fails ? 'failed' : 'migrated');
process.exit(fails ? 1 : 0);`;

describe('keep-migrated script', () => {
  let folder: string;
  let server: Server;
  let sockets: Set<Socket>;
  let child: ChildProcess;
  let lines: string[];
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'keep-migrated-'));
    mkdirSync(join(folder, 'src'));
    writeFileSync(join(folder, 'src', 'migrate.mjs'), MIGRATE);
    sockets = new Set();
    server = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    lines = [];
  });
  afterEach(() => {
    child.kill('SIGKILL');
    endConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });

  function start(): void {
    child = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
      cwd: folder,
      env: { WAIT_FOR_HOST: '127.0.0.1', WAIT_FOR_PORT: String((server.address() as AddressInfo).port) },
    });
    child.stdout?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().trim().split('\n')));
  }
  const endConnections = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  /** Resolves after this many migrations. */
  async function made(count: number): Promise<void> {
    while (lines.length < count && child.stdout) await once(child.stdout, 'data');
  }

  it('migrates at startup and again after the server is lost', async () => {
    start();
    await made(1);
    endConnections();
    await made(2);
    expect(lines).toEqual(['migrated', 'migrated']);
  });

  it('retries while a migration fails', async () => {
    writeFileSync(join(folder, 'fails'), '');
    start();
    await made(2);
    rmSync(join(folder, 'fails'));
    await made(3);
    expect(lines.slice(0, 3)).toEqual(['failed', 'failed', 'migrated']);
  });

  it('exits immediately when the pod is deleted', async () => {
    start();
    await made(1);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([143, null]);
  });
});

describeWithHelm('databases that are lost with their pod', 4, (helm) => {
  it('are migrated again with throw-away stores, each by its owner and its own image', async () => {
    const objects = await helm.render(KIND);
    const pod = podsIn(objects).find(({ component }) => component === 'throw-away-migrations');
    const of = (pod?.spec.containers ?? []).map(({ name, image, env = [] }) => [
      name,
      /supplier-submissions-(\w+):/.exec(image ?? '')?.[1],
      env.find((variable) => variable.name === 'PGPASSWORD')?.valueFrom?.secretKeyRef?.key,
    ]);
    expect(of).toEqual([
      ['migrate-account', 'account', 'account'],
      ['migrate-billing', 'billing', 'billing'],
      ['migrate-document', 'document', 'document'],
      ['migrate-limits', 'gateway', 'limits'],
      ['migrate-submission', 'submission', 'submission'],
      ['migrate-webhook', 'webhook', 'webhook'],
    ]);
    const policies = ofKind(objects, 'NetworkPolicy').map(({ metadata }) => metadata.name);
    expect(policies).toContain('leads-supplier-submissions-throw-away-migrations');
  });

  it.each([
    ['on stores of your own', PRODUCTION],
    ['where you run the migrations', withValues(KIND, 'migrations.mode="none"')],
  ])('have no permanent migration pod %s', async (_, values) => {
    expect(JSON.stringify(await helm.render(values))).not.toContain('throw-away-migrations');
  });
});
