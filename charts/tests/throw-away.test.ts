import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVERYTHING, KIND, PRODUCTION, S3_BY_ROLES } from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import { containersOf, ofKind, podsIn } from './objects.ts';

const PERMISSIONS = join(import.meta.dirname, '../../docs/nats-permissions.json');

describeWithHelm('throw-away stores', 4, (helm) => {
  const secretWith = async (key: string): Promise<string> => {
    const secrets = ofKind(await helm.render(KIND), 'Secret');
    const found = secrets
      .map(({ data }) => (data as Record<string, string>)[key])
      .find((text) => text !== undefined);
    return Buffer.from(found ?? '', 'base64').toString('utf8');
  };

  it('keep documents in the local store, which all other installs keep in S3', async () => {
    const storesOf = async (values: typeof KIND) => {
      const containers = podsIn(await helm.render(values)).flatMap(containersOf);
      const settings = containers.map(({ env = [] }) =>
        Object.fromEntries(env.map(({ name, value }) => [name, value])),
      );
      const stores = settings
        .filter(({ SSS_STORE, SSS_DEPLOYMENT }) => SSS_STORE !== undefined || SSS_DEPLOYMENT !== undefined)
        .map(({ SSS_STORE, SSS_DEPLOYMENT = 'unmarked' }) => `${SSS_STORE}, ${SSS_DEPLOYMENT}`);
      return [...new Set(stores)];
    };
    expect(await storesOf(KIND)).toEqual(['local, trial']);
    for (const values of [PRODUCTION, EVERYTHING, S3_BY_ROLES])
      expect(await storesOf(values)).toEqual(['s3, unmarked']);
  });

  it('give NATS an account and a user per process, with exactly what it needs', async () => {
    const published = JSON.parse(readFileSync(PERMISSIONS, 'utf8'));
    const [, accounts] =
      /^authorization: \{ timeout: 5 \}\naccounts: (.*)\n$/.exec(await secretWith('users.conf')) ?? [];
    // nats-server does not decode JSON escapes, so permissions must be written literally.
    expect(accounts).not.toContain('\\u');
    const withoutPasswords = (name: string, value: unknown) =>
      name === 'password' && /^\w{32}$/.test(String(value)) ? undefined : value;
    expect(JSON.parse(accounts ?? '', withoutPasswords)).toEqual(published.accounts);
    const shipped = readFileSync(join(CHART, 'files/nats-permissions.json'), 'utf8');
    expect(JSON.parse(shipped)).toEqual(published);
  });

  it('let only its two roles connect to each PostgreSQL database', async () => {
    const statements = (await secretWith('roles.sql')).trim().split('\n');
    for (const name of ['account', 'submission', 'document', 'billing', 'webhook', 'limits']) {
      expect(statements).toContain(`CREATE DATABASE "${name}" OWNER "${name}";`);
      expect(statements).toContain(`REVOKE CONNECT ON DATABASE "${name}" FROM PUBLIC;`);
      for (const role of [name, `${name}_runtime`])
        expect(
          statements.filter((line) => line.startsWith(`CREATE ROLE "${role}" LOGIN PASSWORD '`)),
        ).toHaveLength(1);
    }
    expect(statements).toContain('REVOKE CONNECT ON DATABASE postgres, template1 FROM PUBLIC;');
    // The server's superuser grants nothing.
    expect(statements.filter((line) => /SUPERUSER|GRANT/.test(line))).toEqual([]);
  });
});
