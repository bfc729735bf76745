import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '@supplier/lib/testing';
import pg from 'pg';
import { servicesWithDatabase } from '../../local/services/process-table.ts';
import { dumpSchema, readSchema } from './schema-dump.ts';

const checkout = join(import.meta.dirname, '../../..');

const SCHEMA = `
  CREATE TYPE colour AS ENUM ('red', 'blue');
  CREATE TABLE parent (id uuid PRIMARY KEY, name varchar(10), shades colour[] NOT NULL DEFAULT '{}');
  CREATE TABLE child (
    seq bigserial PRIMARY KEY, parent_id uuid NOT NULL REFERENCES parent (id), other_id uuid REFERENCES parent (id),
    n integer NOT NULL DEFAULT 1, CONSTRAINT child_n_check CHECK (n > 0));
  CREATE UNIQUE INDEX child_parent_id_key ON child (parent_id);
  CREATE INDEX child_n_idx ON child (n) WHERE n > 5;
  CREATE TABLE by_day (id uuid PRIMARY KEY) PARTITION BY RANGE (id);
  CREATE TABLE by_day_default PARTITION OF by_day DEFAULT;
  CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no; never'; END $$;
  CREATE TRIGGER child_kept BEFORE DELETE ON child FOR EACH ROW EXECUTE FUNCTION refuse();`;

let database: TestDatabase | undefined;
let whole: string;
beforeAll(async () => {
  whole = await dumpOf(SCHEMA);
});
afterEach(async () => {
  await database?.close();
  database = undefined;
});

async function dumpOf(schema: string): Promise<string> {
  await database?.close();
  database = await createTestDatabase({ schema });
  const session = new pg.Client({ connectionString: database.databaseUrl });
  await session.connect();
  try {
    return dumpSchema(await readSchema(session));
  } finally {
    await session.end();
  }
}

describe('a schema dump', () => {
  it.each(servicesWithDatabase)('recreates the schema of %s', async (service) => {
    const committed = readFileSync(join(checkout, 'services', service, 'prisma', 'schema.sql'), 'utf8');
    expect(committed).toContain('CREATE TABLE audit_entry (');
    expect(committed.endsWith(`\n\n${await dumpOf(committed)}`)).toBe(true);
  });

  it.each([
    ['a column', 'ALTER TABLE child ADD COLUMN more text'],
    ['the length of a string', 'ALTER TABLE parent ALTER COLUMN name TYPE varchar(20)'],
    ['whether a column may be null', 'ALTER TABLE parent ALTER COLUMN name SET NOT NULL'],
    ['a default', 'ALTER TABLE child ALTER COLUMN n SET DEFAULT 2'],
    ['a value of an enum', `ALTER TYPE colour ADD VALUE 'green'`],
    [
      'a check',
      'ALTER TABLE child DROP CONSTRAINT child_n_check, ADD CONSTRAINT child_n_check CHECK (n > 1)',
    ],
    [
      'a check that existing rows may violate',
      'ALTER TABLE child ADD CONSTRAINT child_seq_check CHECK (seq > 0) NOT VALID',
    ],
    ['a foreign key', 'ALTER TABLE child DROP CONSTRAINT child_other_id_fkey'],
    [
      'the condition of an index',
      'DROP INDEX child_n_idx; CREATE INDEX child_n_idx ON child (n) WHERE n > 6',
    ],
    ['a trigger', 'DROP TRIGGER child_kept ON child'],
    [
      'the body of a function',
      'CREATE OR REPLACE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$',
    ],
    ['the privileges of a function', 'ALTER FUNCTION refuse() SECURITY DEFINER'],
    ['a storage parameter', 'ALTER TABLE child SET (fillfactor = 70)'],
    ['whether a table survives a crash', 'ALTER TABLE child SET UNLOGGED'],
    ['a default partition', 'DROP TABLE by_day_default'],
  ])('differs by %s', async (_, change) => {
    expect(await dumpOf(`${SCHEMA}; ${change}`)).not.toBe(whole);
  });

  it('is the same with and without daily partitions and the migration history', async () => {
    const more = `
      CREATE TABLE by_day_1 PARTITION OF by_day
        FOR VALUES FROM ('00000000-0000-0000-0000-000000000000') TO ('01a00000-0000-0000-0000-000000000000');
      CREATE TABLE _prisma_migrations (id text)`;
    expect(await dumpOf(`${SCHEMA}; ${more}`)).toBe(whole);
  });

  it.each([
    ['view v', 'CREATE VIEW v AS SELECT 1'],
    ['grants on parent', 'GRANT SELECT ON parent TO PUBLIC'],
    ['grants on refuse', 'REVOKE EXECUTE ON FUNCTION refuse() FROM PUBLIC'],
    ['schema hidden', 'CREATE SCHEMA hidden'],
    ['row security of parent', 'ALTER TABLE parent ENABLE ROW LEVEL SECURITY'],
    [
      'generated or identity column parent.more',
      'ALTER TABLE parent ADD COLUMN more int GENERATED ALWAYS AS IDENTITY',
    ],
    ['disabled trigger on child', 'ALTER TABLE child DISABLE TRIGGER child_kept'],
  ])("refuses an object that it can't write: %s", async (what, change) => {
    await expect(dumpOf(`${SCHEMA}; ${change}`)).rejects.toThrow(what);
  });
});
