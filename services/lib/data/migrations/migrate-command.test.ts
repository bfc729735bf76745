import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { createTestDatabase, type TestDatabase } from '../../testing/index.ts';

// Each command runs in a separate process.
jest.setTimeout(60_000);

const COMMAND = fileURLToPath(new URL('../../../account/src/migrate.ts', import.meta.url));

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ schema: '' });
});
afterEach(() => database.close());

let connectsAs: string;
beforeEach(() => {
  connectsAs = database.databaseUrl;
});

const RUNTIME = 'test_runtime';
let runtimeRole: string | undefined;
afterEach(() => {
  runtimeRole = undefined;
});

function migrate(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const env = {
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    SSS_DEPLOYMENT: 'local',
    ...(runtimeRole ? { SSS_RUNTIME_ROLE: runtimeRole } : {}),
    SSS_DATABASE_URL: connectsAs,
    SSS_RPC_HTTP1_PORT: '1',
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { env }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, out, err }),
    );
  });
}

async function openMigrated(): Promise<void> {
  await database.close();
  database = await createTestDatabase({ serviceDir: new URL('../../../account/', import.meta.url) });
  connectsAs = database.databaseUrl;
}

describe('migrate command', () => {
  it('lists every migration with its state, those it applied, and then nothing to apply', async () => {
    expect(await migrate('--status')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^pending {2,}20261123120000_init\n/),
    });
    expect(await migrate()).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^account: applied 20261123120000_init in \d+ ms\n/),
    });
    expect(await migrate()).toMatchObject({ code: 0, out: 'account: nothing to apply\n' });
    expect(await migrate('--status')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^applied +20\d\d-\d\d-\d\dT[\d:.]+Z 20261123120000_init\n/),
    });
  });

  it('grants the runtime role the privileges it needs and lists its privileges', async () => {
    await openMigrated();
    runtimeRole = RUNTIME;
    await database.pool.query(
      `REVOKE ALL ON account FROM ${RUNTIME}; GRANT DELETE ON audit_entry TO ${RUNTIME}`,
    );
    const before = await migrate('--status');
    expect(before.code).toBe(1);
    for (const line of [
      'lacking    account: nothing',
      'excess     audit_entry: SELECT, INSERT, DELETE; superfluous: DELETE',
    ])
      expect(before.out).toContain(`\n${line}\n`);
    const { code, out } = await migrate();
    expect({ code, out }).toEqual({
      code: 0,
      out:
        `account: granted to ${RUNTIME}: account\n` +
        `account: ${RUNTIME} has more privileges than this version declares on audit_entry: run migrate --revoke-undeclared when no process of another release is running\n` +
        'account: nothing to apply\n',
    });
    expect((await migrate('--status')).code).toBe(0);
    expect(await migrate('--revoke-undeclared')).toMatchObject({
      code: 0,
      out: `account: revoked from ${RUNTIME}: DELETE on audit_entry\n`,
    });
  });

  it('lists the state for the runtime role after the owner grants access, and changes nothing as that role', async () => {
    await openMigrated();
    runtimeRole = RUNTIME;
    connectsAs = database.runtimeUrl;
    await database.pool.query(`REVOKE SELECT ON _prisma_migrations FROM ${RUNTIME}`);
    expect(await migrate('--status')).toEqual({
      code: 1,
      out: `the role ${RUNTIME} may not read the history of migrations: run the migrate command of this version as the owner with SSS_RUNTIME_ROLE=${RUNTIME}\n`,
      err: '',
    });
    connectsAs = database.databaseUrl;
    expect((await migrate()).code).toBe(0);
    connectsAs = database.runtimeUrl;
    const { code, out } = await migrate('--status');
    expect(out).toMatch(/^applied +20\d\d-\d\d-\d\dT[\d:.]+Z 20261123120000_init\n/);
    expect(out).toMatch(/^granted +account: SELECT, INSERT, UPDATE$/m);
    expect(code).toBe(0);
    expect((await migrate()).code).toBe(1);
  });

  it('rejects a missing role and explains how to create it', async () => {
    runtimeRole = 'nobody_at_all';
    const { code, out } = await migrate();
    expect(code).toBe(1);
    expect(JSON.parse(out.trim().split('\n').at(-1) ?? '')).toMatchObject({
      err: { message: expect.stringMatching(/^there is no role nobody_at_all: .*CREATE ROLE/) },
    });
  });

  it('prints its usage', async () => {
    expect(await migrate('--help')).toMatchObject({ code: 0, out: expect.stringContaining('--status') });
    expect(await migrate('--status', '--revoke-undeclared')).toMatchObject({
      code: 78,
      err: expect.stringContaining('usage: migrate'),
    });
    expect(await migrate('--revoke-undeclared')).toMatchObject({
      code: 78,
      err: expect.stringContaining('SSS_RUNTIME_ROLE is missing'),
    });
  });
});
