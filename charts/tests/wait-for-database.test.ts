import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { KIND } from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import { ofKind, podsIn } from './objects.ts';

const SCRIPT = readFileSync(join(CHART, 'files', 'wait-for-database.mjs'), 'utf8');
const HOST = '127.0.0.1';

describe('wait-for-database script', () => {
  let server: Server;
  let waiting: ChildProcess;
  let said: string;
  beforeEach(() => {
    server = createServer((socket) => socket.end());
  });
  afterEach(() => {
    waiting.kill('SIGKILL');
    server.close();
  });

  async function listen(port = 0): Promise<number> {
    server.listen(port, HOST);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }
  /** Returns a port without a listener. */
  async function closedPort(): Promise<number> {
    const port = await listen();
    server.close();
    await once(server, 'close');
    return port;
  }
  function start(port: number, seconds: number): Promise<number> {
    said = '';
    waiting = spawn(process.execPath, ['--input-type=module', '--eval', SCRIPT], {
      env: { WAIT_SECONDS: String(seconds), WAIT_FOR_HOST: HOST, WAIT_FOR_PORT: String(port) },
    });
    waiting.stdout?.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    return once(waiting, 'close').then(([code]) => code as number);
  }
  const heard = async () => {
    while (waiting.stdout && !said.includes('takes no connections')) await once(waiting.stdout, 'data');
  };

  it('waits until the database accepts connections', async () => {
    const port = await closedPort();
    const ended = start(port, 60);
    await heard();
    await listen(port);
    expect(await ended).toBe(0);
    expect(said).toBe(`${HOST}:${port} takes no connections: ECONNREFUSED\n`);
  });

  it('gives up when the time is over', async () => {
    expect(await start(await closedPort(), 0)).toBe(1);
    expect(said).toContain('ECONNREFUSED');
  });

  it('exits immediately when the pod is deleted', async () => {
    const ended = start(await closedPort(), 60);
    await heard();
    waiting.kill('SIGTERM');
    expect(await ended).toBe(143);
  });
});

describeWithHelm('migrations', 4, (helm) => {
  it('wait for their database before anything else', async () => {
    const objects = await helm.render(KIND);
    const jobs = podsIn(ofKind(objects, 'Job')).filter(({ component }) => component === 'migrations');
    expect(jobs).toHaveLength(6);
    for (const { spec } of jobs) {
      const [first] = spec.initContainers ?? [];
      expect([first?.name, first?.command?.at(-1)]).toEqual(['wait-for-database', SCRIPT]);
      const host = first?.env?.find(({ name }) => name === 'WAIT_FOR_HOST')?.value;
      expect(host).toBe('leads-supplier-submissions-throw-away-postgresql.suppliers.svc');
    }
  });
});
