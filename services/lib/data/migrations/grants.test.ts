import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { createTestDatabase, eventually, startTestProcess, type TestDatabase } from '../../testing/index.ts';
import { applyGrants, grantStates, readGrants, revokeUndeclared } from './grants.ts';
import { checkGrants, runMigrations, runtimeGrants } from './index.ts';

const SERVICES = ['account', 'billing', 'document', 'gateway', 'submission', 'webhook'] as const;
type Service = (typeof SERVICES)[number];
const serviceDir = (service: Service) => new URL(`../../../${service}/`, import.meta.url);

/** Tables that only receive inserts. */
const APPEND_ONLY: Readonly<Record<Service, readonly string[]>> = {
  account: ['audit_entry', 'audit_seal', 'audit_verification', 'domain_event', 'published_batch'],
  billing: ['audit_entry', 'audit_seal', 'audit_verification', 'ledger_entry'],
  document: ['audit_entry', 'audit_seal', 'audit_verification', 'domain_event', 'published_batch'],
  gateway: [],
  submission: [
    'audit_entry',
    'audit_seal',
    'audit_verification',
    'policy_activation',
    'policy_version',
    'domain_event',
    'published_batch',
  ],
  webhook: ['audit_entry', 'audit_seal', 'audit_verification', 'domain_event', 'published_batch'],
};

/** Tables that erasure empties and from which rows are never deleted. */
const NEVER_DELETED: Readonly<Partial<Record<Service, readonly string[]>>> = {
  submission: ['application', 'contact_correction', 'erasure', 'journey_link', 'operation_key', 'submission'],
};

/** Tables that only receive inserts, except for these columns, which erasure empties. */
const EMPTIED_COLUMNS: Readonly<Partial<Record<Service, Readonly<Record<string, readonly string[]>>>>> = {
  submission: {
    contact_correction: ['contact'],
    operation_key: ['body_digest', 'body_fingerprint'],
  },
};

let database: TestDatabase;
let runtime: pg.Pool;
let role: string;
const closing: (() => Promise<unknown>)[] = [];
async function closeAll(): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close();
}

async function open(service: Service): Promise<void> {
  database = await createTestDatabase({ serviceDir: serviceDir(service) });
  closing.push(database.close);
  const pool = new pg.Pool({ connectionString: database.runtimeUrl, max: 2 });
  pool.on('error', () => {});
  closing.push(() => pool.end());
  runtime = pool;
  role = new URL(database.runtimeUrl).username;
}

const denied = expect.objectContaining({ code: '42501' });
async function asOwner<Result>(work: (session: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const session = await database.pool.connect();
  try {
    return await work(session);
  } finally {
    session.release();
  }
}

describe.each(SERVICES)('runtime role of %s', (service) => {
  beforeAll(() => open(service));
  afterAll(closeAll);

  it('has the declared privileges on every table, and every table is declared', async () => {
    const states = await grantStates(database.pool, readGrants(serviceDir(service)), role);
    expect(states.filter(({ state }) => state !== 'granted')).toEqual([]);
    expect(states.length).toBeGreaterThan(0);
  });

  it('cannot create, alter or truncate tables', async () => {
    const { rows } = await database.pool.query(
      `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')
          AND (pg_has_role($1, relowner, 'USAGE') OR has_table_privilege($1, oid, 'TRUNCATE, TRIGGER'))`,
      [role],
    );
    expect(rows).toEqual([]);
    const [first] = await grantStates(database.pool, {}, role);
    const table = first?.table;
    for (const statement of [
      `ALTER TABLE ${table} ADD COLUMN extra text`,
      `CREATE INDEX ON ${table} ((1))`,
      `ALTER TABLE ${table} DISABLE TRIGGER ALL`,
      `TRUNCATE ${table} CASCADE`,
      `DROP TABLE ${table} CASCADE`,
      'CREATE TABLE extra (n integer)',
      'CREATE FUNCTION extra() RETURNS integer LANGUAGE sql RETURN 1',
      `INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'y', 'z')`,
      'UPDATE _prisma_migrations SET finished_at = now()',
      'DELETE FROM _prisma_migrations',
    ])
      await expect(runtime.query(statement)).rejects.toEqual(denied);
  });

  it('cannot update or delete rows in append-only tables', async () => {
    for (const table of APPEND_ONLY[service]) {
      await runtime.query(`SELECT FROM ${table} LIMIT 1`);
      await expect(runtime.query(`DELETE FROM ${table}`)).rejects.toEqual(denied);
      const { rows } = await database.pool.query(
        'SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0',
        [table],
      );
      for (const { attname } of rows)
        await expect(runtime.query(`UPDATE ${table} SET ${attname} = ${attname}`)).rejects.toEqual(denied);
    }
  });

  it('can update only the columns that erasure empties', async () => {
    for (const [table, columns] of Object.entries(EMPTIED_COLUMNS[service] ?? {})) {
      const { rows } = await database.pool.query(
        'SELECT attname FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0',
        [table],
      );
      for (const { attname } of rows) {
        const changed = runtime.query(`UPDATE ${table} SET ${attname} = ${attname}`);
        if (columns.includes(attname)) await changed;
        else await expect(changed).rejects.toEqual(denied);
      }
    }
  });

  it('cannot delete rows that erasure empties', async () => {
    for (const table of NEVER_DELETED[service] ?? [])
      await expect(runtime.query(`DELETE FROM ${table}`)).rejects.toEqual(denied);
  });
});

it('maintain_event_partitions drops past events as the runtime role, which cannot delete them directly', async () => {
  await open('account');
  const outcome = async () =>
    (await runtime.query('SELECT maintain_event_partitions(7, 3) AS said')).rows[0].said;
  await eventually('the days ahead are made', async () => (await outcome()) === 'done');
  await database.pool.query(`SELECT add_event_partition('domain_event', 'event_id', current_date - 30)`);
  expect(await outcome()).toBe('changed');
  await expect(runtime.query('SELECT maintain_event_partitions(1, 3)')).rejects.toThrow('at least 7');
  await expect(runtime.query('DELETE FROM domain_event')).rejects.toEqual(denied);
});
afterAll(closeAll);

describe('applyGrants', () => {
  beforeEach(() => open('billing'));
  afterEach(closeAll);
  const grants = () => readGrants(serviceDir('billing'));

  it('changes nothing on the second run and grants what is missing later', async () => {
    const before = await asOwner((session) => applyGrants(session, grants(), role));
    expect(before).toEqual({ granted: [], superfluous: [] });
    await database.pool.query(
      `GRANT DELETE ON ledger_entry TO PUBLIC; REVOKE INSERT ON failed_event FROM ${role}`,
    );
    const { databaseUrl } = database;
    const options = { databaseUrl, serviceDir: serviceDir('billing'), runtimeRole: role };
    const found = async () => (await runtimeGrants(options)).filter(({ state }) => state !== 'granted');
    const excess = {
      table: 'ledger_entry',
      state: 'excess',
      privileges: 'SELECT, INSERT, DELETE',
      superfluous: 'DELETE',
    };
    expect(await found()).toEqual([
      { table: 'failed_event', state: 'lacking', privileges: 'SELECT, UPDATE, DELETE', superfluous: '' },
      excess,
    ]);
    const said: string[] = [];
    await runMigrations({ ...options, report: (line) => said.push(line) });
    expect(said).toEqual([
      `granted to ${role}: failed_event`,
      expect.stringMatching(
        /more privileges than this version declares on ledger_entry: run migrate --revoke-undeclared/,
      ),
    ]);
    expect(await found()).toEqual([excess]);
  });

  it('grants single columns, and reports and revokes superfluous privileges by column', async () => {
    await database.pool.query('CREATE TABLE sealed (id integer, closed text, open text)');
    const declared = (privileges: string) => ({ ...grants(), sealed: privileges });
    const give = (privileges: string) =>
      asOwner(async (session) => (await applyGrants(session, declared(privileges), role)).granted);
    const take = (privileges: string) =>
      asOwner(async (session) =>
        (await revokeUndeclared(session, declared(privileges), role)).map(({ superfluous }) => superfluous),
      );
    const state = async (privileges: string) =>
      (await grantStates(database.pool, declared(privileges), role)).find(({ table }) => table === 'sealed');

    const columns = 'SELECT, INSERT, UPDATE (closed, open)';
    const fewer = 'SELECT, INSERT, UPDATE (closed)';
    expect(await give(columns)).toEqual(['sealed']);
    expect(await give(columns)).toEqual([]);
    expect(await state(columns)).toMatchObject({ state: 'granted', privileges: columns });
    await expect(runtime.query('UPDATE sealed SET id = 0')).rejects.toEqual(denied);

    expect(await give(fewer)).toEqual([]);
    expect(await state(fewer)).toMatchObject({ state: 'excess', superfluous: 'UPDATE (open)' });
    await runtime.query(`UPDATE sealed SET open = ''`);
    expect(await take(fewer)).toEqual(['UPDATE (open)']);
    expect(await take(fewer)).toEqual([]);
    expect(await state(fewer)).toMatchObject({ state: 'granted', privileges: fewer });
    await expect(runtime.query(`UPDATE sealed SET open = ''`)).rejects.toEqual(denied);
    expect(await state(columns)).toMatchObject({ state: 'lacking' });

    expect(await give('SELECT, UPDATE')).toEqual(['sealed']);
    expect(await state(fewer)).toMatchObject({
      state: 'excess',
      privileges: 'SELECT, INSERT, UPDATE',
      superfluous: 'UPDATE',
    });
    expect(await take('SELECT')).toEqual(['INSERT, UPDATE']);
  });

  it('keeps privileges on a table of another version until they are revoked', async () => {
    await database.pool.query(`CREATE TABLE later (n integer); GRANT SELECT ON later TO ${role}`);
    await asOwner((session) => applyGrants(session, grants(), role));
    const later = async () =>
      (await grantStates(database.pool, grants(), role)).find(({ table }) => table === 'later');
    const undeclared = { table: 'later', state: 'undeclared' };
    expect(await later()).toEqual({ ...undeclared, privileges: 'SELECT', superfluous: 'SELECT' });
    await asOwner((session) => revokeUndeclared(session, grants(), role));
    expect(await later()).toEqual({ ...undeclared, privileges: '', superfluous: '' });
  });

  it("revokes only the role's own privileges and names those inherited from another role", async () => {
    const other = `test_other_${randomBytes(4).toString('hex')}`;
    await database.pool.query(
      `CREATE ROLE ${other}; GRANT DELETE ON ledger_entry TO ${other}; GRANT ${other} TO ${role}`,
    );
    try {
      await expect(asOwner((session) => revokeUndeclared(session, grants(), role))).rejects.toThrow(
        /^role \w+ has SELECT, INSERT, DELETE on ledger_entry instead of SELECT, INSERT, granted elsewhere/,
      );
    } finally {
      await database.pool.query(`DROP OWNED BY ${other}; DROP ROLE ${other}`);
    }
  });

  it('rejects a missing role, or one that could grant itself privileges, in one line', async () => {
    const apply = (name: string) => asOwner((session) => applyGrants(session, grants(), name));
    await expect(apply('nobody_at_all')).rejects.toThrow(
      /^there is no role nobody_at_all: [^\n]*CREATE ROLE/,
    );
    const owner = new URL(database.databaseUrl).username;
    await expect(apply(owner)).rejects.toThrow(/^role \w+ has all privileges [^\n]*SSS_RUNTIME_ROLE /);
  });
});

describe('checkGrants', () => {
  beforeEach(() => open('billing'));
  afterEach(closeAll);
  function start(connectionString: string) {
    const process = startTestProcess('billing');
    const pool = new pg.Pool({ connectionString, max: 1 });
    pool.on('error', () => {});
    closing.push(async () => {
      await process.stop();
      await pool.end();
    });
    checkGrants(process, pool, serviceDir('billing'));
    return process;
  }

  it('ends a process whose role lacks a privilege with one line that names the missing grants', async () => {
    await database.pool.query(`REVOKE INSERT ON ledger_entry FROM ${role}`);
    const process = start(database.runtimeUrl);
    const [failure] = await eventually('it ends', () => process.failures.length > 0 && process.failures);
    expect(failure).toMatchObject({ name: 'ConfigError' });
    expect(failure?.message).toBe(
      `the database role ${role} needs SELECT, INSERT on ledger_entry: ` +
        `run the migrate command as the owner with SSS_RUNTIME_ROLE=${role}`,
    );
  });

  it('logs that the role owns the tables, and continues', async () => {
    const process = start(database.databaseUrl);
    await eventually('it is said', () =>
      process.lines.some(({ msg }) => msg === 'database role has more privileges than the service needs'),
    );
    expect(process.failures).toEqual([]);
  });
});
