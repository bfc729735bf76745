import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Swift, startSwift } from '../testing/swift/start-swift.ts';
import { describeWithS3 } from '../testing/test-s3.ts';
import { openObjectStore } from './object-store/index.ts';

// Each test starts the command as a separate process.
jest.setTimeout(60_000);

const { PATH, NODE_COMPILE_CACHE } = process.env;
const SETTINGS = { PATH, NODE_COMPILE_CACHE, SSS_DEPLOYMENT: 'local' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'set-up-store-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function run(
  command: 'set-up-store' | 'check-store',
  env: Record<string, string>,
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const path = fileURLToPath(new URL(`${command}.ts`, import.meta.url));
  return new Promise((resolve) => {
    execFile(process.execPath, [path, ...args], { env: { ...SETTINGS, ...env } }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

describe('local store setup', () => {
  it('creates its directories, can be run again, and accepts the environment of the service', async () => {
    const directory = join(folder, 'documents');
    const env = {
      SSS_STORE: 'local',
      SSS_STORE_DIR: directory,
      SSS_RPC_HTTP1_PORT: '1',
      SSS_UPLOAD_PORT: '2',
    };
    for (const _time of [1, 2])
      expect(await run('set-up-store', env)).toEqual({
        code: 0,
        out: `the directories in ${directory} exist\n`,
        err: '',
      });
    const store = await openObjectStore({ kind: 'local', directory });
    await expect(store.check()).resolves.toBeUndefined();
  });

  it('fails when a directory cannot be created', async () => {
    const path = join(folder, 'file');
    await writeFile(path, '');
    expect((await run('set-up-store', { SSS_STORE: 'local', SSS_STORE_DIR: join(path, 'x') })).code).toBe(1);
  });
});

describe.each(['set-up-store', 'check-store'] as const)('%s', (command) => {
  it('prints its usage, and exits with a one-line error for an invalid flag or setting', async () => {
    const help = await run(command, {}, '--help');
    expect([help.code, help.out.startsWith(`usage: ${command}`)]).toEqual([0, true]);
    expect((await run(command, {}, '--wrong')).code).toBe(78);
    const bare = await run(command, {});
    expect([bare.code, bare.err]).toEqual([
      78,
      expect.stringMatching(/^[^\n]*SSS_STORE is missing[^\n]*\n$/),
    ]);
  });
});

describeWithS3('setting up an S3 store', () => {
  let swift: Swift;
  beforeAll(async () => {
    swift = await startSwift();
  });
  afterAll(() => swift?.stop());

  it('creates both buckets, and can be run again', async () => {
    const file = join(folder, 'administrator.json');
    await writeFile(file, JSON.stringify(swift.administrator));
    const env = {
      SSS_STORE: 's3',
      SSS_S3_ENDPOINT: swift.config.endpoint,
      SSS_S3_REGION: swift.config.region,
      SSS_S3_QUARANTINE_BUCKET: 'new-quarantine',
      SSS_S3_CLEAN_BUCKET: 'new-clean',
      SSS_S3_QUARANTINE_CREDENTIALS_FILE: file,
      SSS_S3_CLEAN_CREDENTIALS_FILE: file,
    };
    const first = await run('set-up-store', env);
    expect([first.code, first.out]).toEqual([0, 'bucket new-quarantine created\nbucket new-clean created\n']);
    const second = await run('set-up-store', env);
    expect([second.code, second.out]).toEqual([0, 'bucket new-quarantine exists\nbucket new-clean exists\n']);
    const { administrator } = swift;
    const made = { quarantineBucket: 'new-quarantine', cleanBucket: 'new-clean' };
    const access = { kind: 'keys', quarantine: administrator, clean: administrator } as const;
    const ours = await openObjectStore({ ...swift.config, ...made, access });
    await expect(ours.check()).resolves.toBeUndefined();
    const strange = await openObjectStore({ ...swift.config, ...made });
    await expect(strange.check()).rejects.toThrow('cannot reach its buckets');
  });

  it("does not give either user access to the other's bucket", async () => {
    const { config } = swift;
    if (config.access.kind !== 'keys')
      throw new Error('cannot swap keys: the store of tests is not used with keys');
    const { quarantine: clean, clean: quarantine } = config.access;
    const swapped = await openObjectStore({ ...config, access: { kind: 'keys', quarantine, clean } });
    const key = 'a'.repeat(64);
    await expect(swapped.remove('held', key)).rejects.toThrow('object store unavailable');
    await expect(swapped.stat('clean', key)).rejects.toThrow('object store unavailable');
    const right = await openObjectStore(config);
    await expect(right.remove('held', key)).resolves.toBeUndefined();
  });
});
