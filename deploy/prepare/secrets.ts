import { databasesOf, type Prepared, ringsOf, rolesOf } from './prepared.ts';
import { fullNameOf, PROCESSES, PROGRAM } from './processes.ts';

export interface PreparedSecret {
  readonly name: string;
  readonly type: 'Opaque' | 'kubernetes.io/tls';
  readonly data: Readonly<Record<string, string>>;
}

export const SECRETS = {
  databases: 'supplier-submissions-databases',
  nats: 'supplier-submissions-nats',
  keyRings: 'supplier-submissions-key-rings',
  quarantine: 's3-quarantine',
  clean: 's3-clean',
  postgresqlAuthority: 'postgresql-ca',
  natsAuthority: 'nats-ca',
} as const;

/** Builds every Secret whose data is known. */
export function secretsOf(prepared: Prepared): PreparedSecret[] {
  const { roles, nats, keyRings, s3, authorities, certificates } = prepared;
  const secrets = [
    opaque(
      SECRETS.databases,
      databasesOf(prepared).flatMap((database) => {
        const { owner, runtime } = rolesOf(database);
        return [
          [database, roles[owner]?.password],
          [`${database}-runtime`, roles[runtime]?.password],
        ];
      }),
    ),
    opaque(
      SECRETS.nats,
      Object.entries(nats).map(([user, password]) => [user, JSON.stringify({ user, password })]),
    ),
    opaque(
      SECRETS.keyRings,
      ringsOf(prepared).map((service) => [`${service}.json`, JSON.stringify(keyRings[service])]),
    ),
    opaque(SECRETS.quarantine, [['credentials.json', s3.quarantine && JSON.stringify(s3.quarantine)]]),
    opaque(SECRETS.clean, [['credentials.json', s3.clean && JSON.stringify(s3.clean)]]),
    opaque(SECRETS.postgresqlAuthority, [['ca.crt', authorities.postgresql]]),
    opaque(SECRETS.natsAuthority, [['ca.crt', authorities.nats]]),
  ].filter(({ data }) => Object.keys(data).length > 0);
  return certificates ? [...secrets, ...certificateSecrets(prepared, certificates)] : secrets;
}

function certificateSecrets(
  { release }: Prepared,
  { authority, issued }: NonNullable<Prepared['certificates']>,
): PreparedSecret[] {
  return PROCESSES.map((process) => {
    const own = issued[process];
    if (!own) throw new Error(`there is no certificate for ${process}: create it with ${PROGRAM} write`);
    return {
      name: `${fullNameOf(release)}-${process}`,
      type: 'kubernetes.io/tls',
      data: { 'tls.crt': own.certificate, 'tls.key': own.key, 'ca.crt': authority.certificate },
    };
  });
}

function opaque(name: string, entries: readonly (readonly (string | undefined)[])[]): PreparedSecret {
  const data = entries.flatMap(([key, value]) => (key && value ? [[key, value] as const] : []));
  return { name, type: 'Opaque', data: Object.fromEntries(data) };
}
