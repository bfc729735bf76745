import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NatsAccess } from '@supplier/lib/runtime/nats-access';
import { eventually } from '@supplier/lib/testing';
import { localCertificates } from '../../identity/certificates.ts';
import { portClaims } from '../../state/port-claims.ts';
import { choosePorts } from '../../state/ports.ts';
import { secureNats } from '../access.ts';
import { obtainNatsServer } from '../obtain.ts';
import { natsConfig } from '../program.ts';

const USUAL_PORT = 19_422;

/** For tests: a separate NATS process, configured like that of the secure stack. */
export interface TestNatsServer {
  /** Returns the connection settings of a process, with the credentials of its user. */
  accessOf(user: string): NatsAccess;
  readonly administrator: NatsAccess;
  /** Changes a user's password, in its file and at the server. */
  changePassword(user: string, password: string): void;
  /** Suspends the server, kills it, and starts it again; `meanwhile` runs at each stage. */
  cut(meanwhile: { stopped(): void; killed(): void }): Promise<void>;
  close(): Promise<void>;
}

/** Starts the server; `amend` changes its configuration for the test. */
export async function startTestNatsServer(
  amend = (config: string): string => config,
): Promise<TestNatsServer> {
  const folder = mkdtempSync(join(tmpdir(), 'nats-server-'));
  const server = await obtainNatsServer();
  const certificates = await localCertificates(join(folder, 'certificates'));
  const claims = portClaims();
  const ports = await choosePorts({ nats: USUAL_PORT }, {}, claims.claim);
  const { url, environmentOf, security } = secureNats(ports.nats, folder, certificates);
  const configFile = join(folder, 'nats-server.conf');
  const configure = () => {
    const config = natsConfig(ports.nats, join(folder, 'storage'), { security });
    writeFileSync(configFile, amend(config));
  };
  configure();
  let child: ChildProcess;
  const start = async () => {
    child = spawn(server, ['--config', configFile], { stdio: ['ignore', 'ignore', 'pipe'] });
    const said = collect(child);
    await eventually('nats-server starts', () => said().includes('Server is ready'), 30_000);
  };
  const kill = async () => {
    const ended = child.exitCode === null && child.signalCode === null && once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  await start().catch(async (error) => {
    await kill();
    throw error;
  });

  const host = readFileSync(configFile, 'utf8').match(/listen: "([^:]+)/)?.[1];
  const address = `${host}:${ports.nats}`;
  const caFile = certificates.authority;
  const fileOf = (user: string) => environmentOf(user).SSS_NATS_CREDENTIALS_FILE ?? '';
  return {
    accessOf: (user) => ({ url: `tls://${address}`, caFile, credentialsFile: fileOf(user) }),
    administrator: { url: url.replace(/[^@]+$/, address), caFile },
    changePassword(name, changed) {
      writeFileSync(fileOf(name), JSON.stringify({ user: name, password: changed }));
      configure();
      child.kill('SIGHUP');
    },
    async cut({ stopped, killed }) {
      child.kill('SIGSTOP');
      stopped();
      await kill();
      killed();
      await start();
    },
    async close() {
      await kill();
      claims.release();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function collect({ stderr }: ChildProcess): () => string {
  let text = '';
  stderr?.on('data', (chunk: Buffer) => {
    text = `${text}${chunk}`.slice(-20_000);
  });
  return () => text;
}
