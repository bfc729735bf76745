import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { KeyRing } from '@supplier/lib/crypto';
import { parse } from 'yaml';
import { readConfig as account } from '../../services/account/src/config.ts';
import { readConfig as billing } from '../../services/billing/src/config.ts';
import { readConfig as document } from '../../services/document/src/config.ts';
import { storeConfig } from '../../services/document/src/object-store/store-config.ts';
import { readScannerConfig as scanner } from '../../services/document/src/scanner/config.ts';
import { readConfig as gateway } from '../../services/gateway/src/config.ts';
import { createTokenVerifier } from '../../services/lib/rpc-server/verify-token.ts';
import { readConfig as submission } from '../../services/submission/src/config.ts';
import { readConfig as webhook } from '../../services/webhook/src/config.ts';
import { imageTargets } from '../images/targets.ts';
import { BUILD_MS, canBeHad, LOADER, obtainLoader } from './obtain-loader.ts';

const run = promisify(execFile);
const FILE = join(import.meta.dirname, '..', 'compose.yaml');
const KEYS = join(import.meta.dirname, 'keys.mjs');
const KEYS_MS = 30_000;

const READERS: Readonly<Record<string, (env: NodeJS.ProcessEnv) => unknown>> = {
  account,
  billing,
  document,
  gateway,
  scanner,
  submission,
  webhook,
};

interface Service {
  readonly image: string;
  readonly build?: { readonly target: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string | number>>;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly configs?: readonly { readonly source: string }[];
  readonly read_only?: boolean;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, object>>;
  readonly configs: Readonly<Record<string, { readonly content?: string; readonly file?: string }>>;
}

const compose = parse(readFileSync(FILE, 'utf8'), { merge: true }) as Compose;
const services = Object.entries(compose.services);
const processes = services.filter(([, { build, command }]) => build !== undefined && command === undefined);
const commands = services.filter(([, { command }]) => /^src\//.test(command?.[0] ?? ''));

describe('compose.yaml', () => {
  let folder: string;
  let keeper: ChildProcess;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'compose-'));
    keeper = spawn(process.execPath, [KEYS, 'keep', folder, join(folder, 'none')], { stdio: 'ignore' });
    for (const until = Date.now() + KEYS_MS; !(await keysAreThere(folder)); await pause(100))
      if (Date.now() > until) throw new Error('no keys were made');
  });
  afterAll(async () => {
    if (keeper.exitCode === null) {
      keeper.kill();
      await once(keeper, 'exit');
    }
    rmSync(folder, { recursive: true });
  });

  const environment = (service: Service) =>
    Object.fromEntries(
      Object.entries(service.environment ?? {}).map(([name, value]) => [
        name,
        String(value).replace(/^\/keys\//, `${folder}/`),
      ]),
    );

  it('runs every image', () => {
    expect(new Set(processes.map(([, { build }]) => build?.target))).toEqual(new Set(Object.keys(READERS)));
    for (const [, { build, image }] of [...processes, ...commands])
      expect(image).toBe(`supplier-submissions-${build?.target}:compose`);
  });

  it.each(processes)('gives %s all settings that it needs and none that it does not know', (_, service) => {
    const env = environment(service);
    expect(READERS[service.build?.target ?? '']?.(env)).toBeDefined();
    if (env.SSS_KEY_RING_FILE) KeyRing.fromJson(readFileSync(env.SSS_KEY_RING_FILE, 'utf8'));
    expect(service).toMatchObject({ read_only: true, volumes: expect.arrayContaining(['keys:/keys:ro']) });
  });

  it('gives each process a token for each service that it calls, which that service takes', async () => {
    for (const [name, service] of processes) {
      const env = environment(service);
      const called = Object.keys(env).flatMap(
        (variable) =>
          /^SSS_(ACCOUNT|SUBMISSION|DOCUMENT|BILLING|WEBHOOK)_URL$/.exec(variable)?.[1]?.toLowerCase() ?? [],
      );
      for (const audience of called) {
        const token = readFileSync(join(env.SSS_SERVICE_TOKEN_DIR ?? '', audience), 'utf8');
        const verify = createTokenVerifier(join(folder, 'issuers.json'), audience, () => {});
        expect([name, await verify(token)]).toEqual([
          name,
          expect.objectContaining({ roles: [`service:${service.build?.target}`] }),
        ]);
      }
    }
  });

  it('prints a token that lets staff call every service', async () => {
    const { stdout } = await run(process.execPath, [KEYS, 'staff', folder]);
    for (const audience of ['account', 'submission', 'document', 'billing', 'webhook'])
      expect(
        await createTokenVerifier(join(folder, 'issuers.json'), audience, () => {})(stdout.trim()),
      ).toMatchObject({ roles: ['staff:admin'] });
  });

  it('prepares databases and the store with commands that their images hold', () => {
    for (const [, { build, command = [] }] of commands) {
      const target = imageTargets.find(({ name }) => name === build?.target);
      expect(target?.entries.map(({ name }) => `src/${name}.mjs`)).toContain(command[0]);
    }
    expect(commands.map(([name]) => name).sort()).toEqual([
      'account-migrate',
      'billing-migrate',
      'document-migrate',
      'document-store',
      'limits-migrate',
      'submission-migrate',
      'webhook-migrate',
    ]);
  });

  it('starts nothing before what it needs is prepared', () => {
    for (const [name, { environment = {}, depends_on = {} }] of processes) {
      const database = databaseOf(environment);
      expect(depends_on).toMatchObject({
        [`${database}-migrate`]: { condition: 'service_completed_successfully' },
        keys: { condition: 'service_healthy' },
      });
      expect([name, database]).not.toContain(undefined);
    }
    for (const [name] of commands.filter(([one]) => one.endsWith('-migrate')))
      expect(compose.services[name]?.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  });

  it('makes every role and database that somebody connects with', () => {
    const sql = compose.configs.databases?.content ?? '';
    const urls = services.flatMap(([, { environment = {} }]) =>
      Object.values(environment).flatMap((value) =>
        String(value).startsWith('postgres:') ? [new URL(String(value))] : [],
      ),
    );
    expect(urls.length).toBeGreaterThan(12);
    for (const { username, password, hostname, pathname } of urls) {
      expect(sql).toContain(`CREATE ROLE ${username} LOGIN PASSWORD '${password}'`);
      expect(sql).toContain(`CREATE DATABASE ${pathname.slice(1)} OWNER `);
      expect(hostname).toBe('postgres');
    }
    for (const [name, { environment = {} }] of commands)
      if (environment.SSS_RUNTIME_ROLE)
        expect([name, sql]).toEqual([
          name,
          expect.stringContaining(`CREATE ROLE ${environment.SSS_RUNTIME_ROLE} LOGIN`),
        ]);
  });

  it('calls services where they listen', () => {
    const urls = processes.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).filter(([name]) => /^SSS_\w+_URL$/.test(name)),
    );
    const inside = urls
      .map(([, value]) => new URL(String(value)))
      .filter(({ protocol, hostname }) => protocol === 'http:' && hostname !== '127.0.0.1');
    expect(inside.length).toBeGreaterThan(8);
    for (const { hostname, port } of inside)
      expect(compose.services[hostname]?.environment?.SSS_RPC_HTTP1_PORT).toBe(Number(port));
  });

  it('keeps documents where document and scanner both reach them', () => {
    for (const name of ['document', 'scanner', 'document-store']) {
      const service = compose.services[name] as Service;
      const env = environment(service);
      expect(storeConfig({ ...env, SSS_DEPLOYMENT: 'local' } as never)).toMatchObject({ kind: 'disk' });
      expect(service.volumes).toContain(`documents:${env.SSS_STORE_DIR}`);
    }
  });

  it('refers to nothing that is not there', () => {
    for (const [name, { depends_on = {}, configs = [], volumes = [] }] of services) {
      for (const other of Object.keys(depends_on))
        expect([name, compose.services]).toHaveProperty([1, other]);
      for (const { source } of configs) expect([name, compose.configs]).toHaveProperty([1, source]);
      for (const volume of volumes)
        expect([name, compose.volumes]).toHaveProperty([1, volume.split(':')[0] ?? '']);
    }
    for (const { file } of Object.values(compose.configs))
      if (file) expect(existsSync(join(FILE, '..', file))).toBe(true);
  });

  it('is reached from this machine alone', () => {
    for (const port of services.flatMap(([, { ports = [] }]) => ports))
      expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });

  const runs = canBeHad() || process.env.CI === 'true';
  if (!runs)
    console.warn('skipped: compose.yaml is not held against the specification, because there is no Go');
  (runs ? it : it.skip)(
    'is what the Compose specification allows',
    async () => {
      await obtainLoader();
      const { stdout } = await run(LOADER, ['--format', 'json', FILE], { cwd: folder, maxBuffer: 16 << 20 });
      const { services: loaded } = JSON.parse(stdout) as Compose;
      expect(Object.keys(loaded).sort()).toEqual(Object.keys(compose.services).sort());
    },
    BUILD_MS,
  );
});

const keysAreThere = (folder: string) =>
  run(process.execPath, [KEYS, 'check', folder]).then(
    () => true,
    () => false,
  );

function databaseOf(environment: Readonly<Record<string, string | number>>): string | undefined {
  const url = environment.SSS_DATABASE_URL ?? environment.SSS_LIMITS_DATABASE_URL;
  return url === undefined ? undefined : new URL(String(url)).pathname.slice(1);
}
