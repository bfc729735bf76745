import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { databasesOf, type Prepared, rolesOf } from './prepared.ts';

/** PostgreSQL's default. */
const ITERATIONS = 4_096;

/** A psql script that creates the databases and roles, or sets the present passwords, as SCRAM verifiers. It can be run again. */
export function databasesSql(prepared: Prepared): string {
  const role = (name: string) => {
    const { password, salt } = prepared.roles[name] ?? {};
    if (password === undefined || salt === undefined) throw new Error(`no password for ${name}`);
    const identifier = quoted(name);
    return [
      `SELECT 'CREATE ROLE ${identifier}' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${name}') \\gexec`,
      `ALTER ROLE ${identifier} LOGIN PASSWORD '${verifierOf(password, salt)}';`,
    ];
  };
  const database = (name: string) => {
    const { owner, runtime } = rolesOf(name);
    return [
      '',
      ...role(owner),
      ...role(runtime),
      // Only a member of a role may make it an owner.
      `GRANT ${quoted(owner)} TO CURRENT_USER;`,
      `SELECT 'CREATE DATABASE ${quoted(name)} OWNER ${quoted(owner)}' WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '${name}') \\gexec`,
      // The migration grants access to the runtime role.
      `REVOKE CONNECT ON DATABASE ${quoted(name)} FROM PUBLIC;`,
      `REVOKE ${quoted(owner)} FROM CURRENT_USER;`,
    ];
  };
  const shared = [
    '',
    '-- Other roles of this server that need them need GRANT CONNECT. Only the owners of these databases can run this.',
    'GRANT CONNECT ON DATABASE postgres, template1 TO CURRENT_USER;',
    'REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;',
  ];
  return ['\\set ON_ERROR_STOP on', ...databasesOf(prepared).flatMap(database), ...shared, ''].join('\n');
}

const quoted = (name: string) => `"${name}"`;

/** Derives what PostgreSQL stores of a password (SCRAM-SHA-256, RFC 5803). */
export function verifierOf(password: string, salt: string): string {
  const salted = pbkdf2Sync(password, Buffer.from(salt, 'base64'), ITERATIONS, 32, 'sha256');
  const keyOf = (name: string) => createHmac('sha256', salted).update(name).digest();
  const stored = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt}$${stored}:${keyOf('Server Key').toString('base64')}`;
}
