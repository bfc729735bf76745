import { readFileSync } from 'node:fs';
import type { ClientBase, Pool } from 'pg';
import { inTransactionOf } from '../postgres/index.ts';
import { MigrationError } from './history.ts';

const PRIVILEGES = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'] as const;

/** Privileges on shared tables. Locking a row requires UPDATE; partitions are dropped as the owner. */
const SHARED: Grants = {
  approval: 'SELECT, INSERT, UPDATE',
  audit_entry: 'SELECT, INSERT',
  audit_seal: 'SELECT, INSERT',
  audit_unsealed: 'SELECT, DELETE',
  audit_verification: 'SELECT, INSERT',
  domain_event: 'SELECT, INSERT',
  failed_event: 'SELECT, INSERT, UPDATE, DELETE',
  idempotent_call: 'SELECT, INSERT, UPDATE, DELETE',
  outbox: 'SELECT, INSERT, UPDATE, DELETE',
  outbox_refill: 'SELECT, INSERT, UPDATE, DELETE',
  outbox_stream: 'SELECT, INSERT, UPDATE',
  published_batch: 'SELECT, INSERT',
};

/** The privileges of a runtime role, by table: `SELECT, INSERT`, or `UPDATE (a, b)` for some columns. */
export type Grants = Readonly<Record<string, string>>;

/** `lacking`: fewer privileges than declared; `excess`: more; `undeclared`: a table that this version does not know. */
export interface GrantState {
  readonly table: string;
  readonly state: 'granted' | 'lacking' | 'excess' | 'undeclared';
  /** The role's current privileges. */
  readonly privileges: string;
  /** The privileges that this version does not declare; empty if there are none. */
  readonly superfluous: string;
}

/** Reads `<serviceDir>/prisma/grants.json` and adds the tables that services share. */
export function readGrants(serviceDir: URL): Grants {
  const own: Grants = JSON.parse(readFileSync(new URL('prisma/grants.json', serviceDir), 'utf8'));
  return { ...SHARED, ...own };
}

type Session = Pick<ClientBase | Pool, 'query'>;

/** Compares the privileges of `role` on each table of the schema with `grants`, ordered by name. Changes nothing. */
export async function grantStates(session: Session, grants: Grants, role: string): Promise<GrantState[]> {
  const { rows } = await session.query<{ table: string; held: string[] }>(
    `SELECT c.relname AS table, ARRAY(
       SELECT CASE WHEN has_table_privilege($1, c.oid, p) THEN p ELSE p || ' (' || columns.held || ')' END
         FROM unnest($2::text[]) WITH ORDINALITY AS u(p, place)
         LEFT JOIN LATERAL (
           SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) AS held FROM pg_attribute a
            WHERE p IN ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES') AND NOT has_table_privilege($1, c.oid, p)
              AND a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
              AND has_column_privilege($1, c.oid, a.attnum, p)) AS columns ON true
        WHERE has_table_privilege($1, c.oid, p) OR columns.held IS NOT NULL ORDER BY place) AS held
       FROM pg_class c
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
        AND c.relname <> '_prisma_migrations'
      ORDER BY c.relname`,
    [role, PRIVILEGES],
  );
  return rows.map(({ table, held }) => {
    const declared = grants[table];
    const privileges = held.join(', ');
    const superfluous = without(privileges, declared ?? '');
    if (declared === undefined) return { table, state: 'undeclared', privileges, superfluous };
    if (without(declared, privileges)) return { table, state: 'lacking', privileges, superfluous };
    return { table, state: superfluous ? 'excess' : 'granted', privileges, superfluous };
  });
}

/** Returns the privileges that one list allows and the other does not. */
function without(privileges: string, others: string): string {
  const given = columnsByPrivilege(others);
  const left = [...columnsByPrivilege(privileges)].flatMap(([privilege, columns]) => {
    const on = given.get(privilege) ?? [];
    if (on === 'all') return [];
    if (columns === 'all') return [privilege];
    const more = columns.filter((column) => !on.includes(column));
    return more.length > 0 ? [`${privilege} (${more.join(', ')})`] : [];
  });
  return left.join(', ');
}

/** Returns the columns that each privilege in a list covers. */
function columnsByPrivilege(privileges: string): Map<string, 'all' | readonly string[]> {
  const found = privileges.matchAll(/([A-Z]+)(?: \(([^)]*)\))?/g);
  return new Map([...found].map(([, privilege = '', columns]) => [privilege, columns?.split(', ') ?? 'all']));
}

/**
 * Grants the declared privileges; pods of another release may need others, so none is revoked. Throws a MigrationError
 * for a role that does not exist, could grant itself anything, or cannot be granted them.
 */
export async function applyGrants(session: ClientBase, grants: Grants, role: string) {
  return inTransactionOf(session, async () => {
    await refuseUnfitRole(session, role);
    const lacking = (await grantStates(session, grants, role)).filter(({ state }) => state === 'lacking');
    const to = session.escapeIdentifier(role);
    for (const { table } of lacking)
      await session.query(
        `GRANT ${grants[table] ?? ''} ON TABLE ${session.escapeIdentifier(table)} TO ${to}`,
      );
    await session.query(basics(to));
    const states = await grantStates(session, grants, role);
    const wrong = states.find(({ state }) => state === 'lacking');
    if (wrong)
      throw new MigrationError(
        `role ${role} has ${wrong.privileges || 'nothing'} on ${wrong.table} instead of ${grants[wrong.table]}: check the table's owner`,
      );
    await refuseTableMaker(session, role);
    return {
      granted: lacking.map(({ table }) => table),
      superfluous: states.filter(({ superfluous }) => superfluous !== ''),
    };
  });
}

/**
 * Revokes undeclared privileges from `role` and PUBLIC, and resolves to the states before. Use only when no pod of
 * another release runs. Throws a MigrationError if privileges from elsewhere remain.
 */
export async function revokeUndeclared(
  session: ClientBase,
  grants: Grants,
  role: string,
): Promise<GrantState[]> {
  return inTransactionOf(session, async () => {
    await refuseUnfitRole(session, role);
    const found = (await grantStates(session, grants, role)).filter(({ superfluous }) => superfluous !== '');
    for (const { table } of found) {
      const [on, to] = [session.escapeIdentifier(table), session.escapeIdentifier(role)];
      await session.query(`REVOKE ALL ON TABLE ${on} FROM PUBLIC, ${to}`);
      const declared = grants[table];
      if (declared) await session.query(`GRANT ${declared} ON TABLE ${on} TO ${to}`);
    }
    const states = await grantStates(session, grants, role);
    const wrong = states.find(({ state, superfluous }) => state === 'lacking' || superfluous !== '');
    if (wrong)
      throw new MigrationError(
        `role ${role} has ${wrong.privileges || 'nothing'} on ${wrong.table} instead of ${grants[wrong.table] ?? 'nothing'}, granted elsewhere: check its memberships and the table's owner`,
      );
    return found;
  });
}

async function refuseUnfitRole(session: ClientBase, role: string): Promise<void> {
  const { rows } = await session.query<{ superuser: boolean; owner: boolean }>(
    `SELECT rolsuper AS superuser, pg_has_role(oid, current_user, 'MEMBER') AS owner FROM pg_roles WHERE rolname = $1`,
    [role],
  );
  const [found] = rows;
  if (!found)
    throw new MigrationError(
      `there is no role ${role}: ask an administrator to create it (CREATE ROLE … LOGIN) with a password`,
    );
  if (found.superuser || found.owner)
    throw new MigrationError(
      `role ${role} has all privileges of the migrating role: set SSS_RUNTIME_ROLE to a separate role`,
    );
}

/** Privileges besides those on tables, granted by the owner or, before, by another role. */
const basics = (role: string) => `
  DO $$ BEGIN EXECUTE format('GRANT CONNECT ON DATABASE %I TO ${role.replaceAll('%', '%%')}', current_database()); END $$;
  GRANT USAGE ON SCHEMA public TO ${role};
  REVOKE CREATE ON SCHEMA public FROM PUBLIC, ${role};
  GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role};
  DO $$ BEGIN
    IF to_regclass('_prisma_migrations') IS NOT NULL THEN
      GRANT SELECT ON _prisma_migrations TO ${role};
    END IF;
  END $$;
  DO $$ BEGIN
    IF to_regproc('maintain_event_partitions') IS NOT NULL THEN
      GRANT EXECUTE ON FUNCTION maintain_event_partitions, event_id_floor TO ${role};
    END IF;
  END $$`;

async function refuseTableMaker(session: ClientBase, role: string): Promise<void> {
  const { rows } = await session.query<{ creates: boolean }>(
    `SELECT has_schema_privilege($1, current_schema(), 'CREATE') AS creates`,
    [role],
  );
  if (rows[0]?.creates)
    throw new MigrationError(`role ${role} may create tables: REVOKE CREATE ON SCHEMA public FROM it`);
}
