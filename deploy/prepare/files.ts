import { stringify } from 'yaml';
import { NATS_USERS, permissionsOf } from '../../services/lib/events/event-bus/permissions.ts';
import { databasesSql } from './databases-sql.ts';
import type { Prepared } from './prepared.ts';
import { type PreparedSecret, SECRETS, secretsOf } from './secrets.ts';

const MADE =
  '# Made by prepare:install, which writes it again: put what you change into a file of your own.\n';
const REFRESHED = '1h';

/** Renders the files to apply, by name. The same secrets give the same bytes. */
export function filesOf(prepared: Prepared): Readonly<Record<string, string>> {
  const { store } = prepared;
  const secrets = secretsOf(prepared);
  return {
    'databases.sql': databasesSql(prepared),
    'nats-users.conf': natsUsers(prepared),
    'values.yaml': MADE + stringify(valuesOf(prepared)),
    ...(store === undefined
      ? { 'secrets.yaml': manifests(secrets.map((secret) => secretObject(prepared, secret))) }
      : {
          'external-secrets.yaml': manifests(
            secrets.map((secret) => externalSecret(prepared, secret, store)),
          ),
          'store.json': json(
            Object.fromEntries(secrets.map(({ name, data }) => [remoteKey(prepared, name), data])),
          ),
        }),
  };
}

/** Renders the file for `include nats-users.conf` in the server's configuration. */
function natsUsers({ nats }: Prepared): string {
  const users = NATS_USERS.map((user) => ({ user, password: nats[user], permissions: permissionsOf(user) }));
  return `${MADE}authorization: ${json({ timeout: 5, users })}`;
}

/** Values that name the Secrets, for use with values-production.yaml. */
function valuesOf({ s3, authorities, certificates }: Prepared): object {
  return {
    databases: {
      existingSecret: SECRETS.databases,
      ...(authorities.postgresql && { ca: { existingSecret: SECRETS.postgresqlAuthority } }),
    },
    nats: {
      credentials: { existingSecret: SECRETS.nats },
      ...(authorities.nats && { ca: { existingSecret: SECRETS.natsAuthority } }),
    },
    keyRings: { existingSecret: SECRETS.keyRings },
    ...(certificates && { tls: { mode: 'secrets' } }),
    ...((s3.quarantine || s3.clean) && {
      documents: {
        s3: {
          ...(s3.quarantine && { quarantineCredentials: { existingSecret: SECRETS.quarantine } }),
          ...(s3.clean && { cleanCredentials: { existingSecret: SECRETS.clean } }),
        },
      },
    }),
  };
}

const secretObject = ({ namespace }: Prepared, { name, type, data }: PreparedSecret) => ({
  ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type },
  stringData: data,
});

function externalSecret(prepared: Prepared, { name, type }: PreparedSecret, store: string) {
  return {
    apiVersion: 'external-secrets.io/v1',
    kind: 'ExternalSecret',
    metadata: { name, namespace: prepared.namespace },
    spec: {
      refreshInterval: REFRESHED,
      secretStoreRef: { kind: 'ClusterSecretStore', name: store },
      target: { name, template: { type } },
      dataFrom: [{ extract: { key: remoteKey(prepared, name) } }],
    },
  };
}

const remoteKey = ({ namespace }: Prepared, name: string) => `${namespace}/${name}`;

const manifests = (objects: readonly object[]) =>
  MADE + objects.map((object) => `---\n${stringify(object)}`).join('');
const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
