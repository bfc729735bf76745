import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { variables as account } from '../../services/account/src/config.ts';
import { variables as billing } from '../../services/billing/src/config.ts';
import { variables as staffConsole } from '../../services/console/src/config.ts';
import { variables as document } from '../../services/document/src/config.ts';
import { storeVariables } from '../../services/document/src/object-store/store-config.ts';
import { variables as scanner } from '../../services/document/src/scan/scanner-config.ts';
import { variables as gateway } from '../../services/gateway/src/config.ts';
import { migrateVariables } from '../../services/lib/data/migrations/index.ts';
import { streamVariables } from '../../services/lib/events/event-bus/streams.ts';
import { natsVariables } from '../../services/lib/runtime/nats-access/index.ts';
import { variables as submission } from '../../services/submission/src/config.ts';
import { variables as webhook } from '../../services/webhook/src/config.ts';
import { EVERYTHING, KIND, S3_BY_ROLES, WITH_CONSOLE, withValues } from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import { type Container, containersOf, type KubernetesObject, plainVariables, podsIn } from './objects.ts';

/** The variables that each process reads, from its own code. */
const READ: Readonly<Record<string, object>> = {
  account,
  billing,
  console: staffConsole,
  document,
  'gateway-production': gateway,
  'gateway-sandbox': gateway,
  scanner,
  submission,
  webhook,
};
/** Variables for local stacks only: settings that relax something, and addresses that only a local stack needs. */
const NOT_FOR_CLUSTERS = [
  'SSS_DEPLOYMENT',
  'SSS_ALLOWED_CIDRS',
  'SSS_EXTRA_CA_FILE',
  'SSS_SCAN_WITH_ANY_SIGNATURES',
  'SSS_RPC_HTTP1_PORT',
  'SSS_RPC_H2C_PORT',
];
/** Variables of one process that other processes with the same schema lack. */
const OF_ONE = { 'gateway-sandbox': ['SSS_PRODUCTION_ENABLED'] } as const;

describeWithHelm('the variables of each process', 4, (helm) => {
  let examples: KubernetesObject[][];
  beforeAll(async () => {
    examples = await Promise.all(
      [
        KIND,
        EVERYTHING,
        S3_BY_ROLES,
        withValues(
          WITH_CONSOLE,
          'nats.tlsFirst=true',
          'console.sharedSessions=true',
          'documents.s3.publicUrl="https://files.example"',
          'documents.s3.setUp={"enabled":true,"existingSecret":"set-up"}',
        ),
      ].map((values) => helm.render(values)),
    );
  });
  /** Returns the names in a component's containers in any of the examples, without the mark of a trial. */
  const rendered = (component: string, isMeant: (container: Container) => boolean) =>
    examples
      .flatMap(podsIn)
      .filter((pod) => pod.component === component)
      .flatMap((pod) => containersOf(pod).filter(isMeant))
      .flatMap(({ env = [] }) => env.map(({ name }) => name).filter((name) => name.startsWith('SSS_')))
      .filter((name) => name !== 'SSS_DEPLOYMENT');

  it.each(Object.keys(READ))(
    'of %s are exactly the ones that it reads, rendered or available as settings',
    (process) => {
      const image = process.replace(/^gateway-.*/, 'gateway');
      const given = [...rendered(process, ({ name }) => name === image), ...offered(image)];
      const left: readonly string[] = [
        ...NOT_FOR_CLUSTERS,
        ...(process in OF_ONE ? OF_ONE[process as keyof typeof OF_ONE] : []),
      ];
      const read = Object.keys(READ[process] ?? {}).filter((name) => !left.includes(name));
      expect([...new Set(given)].sort()).toEqual(read.sort());
    },
  );

  it('of every process are in this table', () => {
    const deployed = examples
      .flat()
      .filter(({ kind, metadata }) => kind === 'Deployment' && !metadata.name.includes('-throw-away-'))
      .map(({ metadata }) => metadata.labels?.['app.kubernetes.io/component']);
    expect([...new Set(deployed)].sort()).toEqual(Object.keys(READ).sort());
  });

  it('of migrations, their init containers and the store setup are the ones that the commands read', () => {
    const databases = Object.keys({
      ...migrateVariables('SSS_DATABASE_URL'),
      ...migrateVariables('SSS_LIMITS_DATABASE_URL'),
      ...migrateVariables('SSS_SESSIONS_DATABASE_URL'),
    });
    const names = (component: string, container: string) => [
      ...new Set(rendered(component, ({ name }) => name === container)),
    ];
    expect(names('migrations', 'migrate').sort()).toEqual(databases.sort());
    const ofAccount = Object.keys(migrateVariables('SSS_DATABASE_URL'));
    expect(names('account', 'wait-for-migrations').sort()).toEqual(ofAccount.sort());
    const ofStore = Object.keys(storeVariables);
    const roles = ofStore.filter((name) => /^SSS_S3_(?:ROLE|STS)/.test(name));
    // Bucket set-up has keys and publishes no addresses.
    expect(names('migrations', 'set-up-store').sort()).toEqual(
      ofStore.filter((name) => !roles.includes(name)).sort(),
    );
    expect(names('audit-verification', 'verify-audit')).toEqual(['SSS_DATABASE_URL']);
    expect(names('streams', 'configure-streams').sort()).toEqual(
      Object.keys({ ...natsVariables, ...streamVariables }).sort(),
    );
  });

  it('lead processes to PgBouncer, and Jobs and waiting containers to the server', async () => {
    const hosts = new Map<string, Set<string>>();
    for (const pod of podsIn(await helm.render(EVERYTHING)))
      for (const container of containersOf(pod))
        for (const [name, value] of Object.entries(plainVariables(container)))
          if (name.endsWith('DATABASE_URL')) {
            const { host, searchParams } = new URL(value);
            const to = `${host} ${searchParams.get('pgbouncer')}`;
            hosts.set(to, (hosts.get(to) ?? new Set()).add(container.name));
          }
    expect(Object.fromEntries([...hosts].map(([to, names]) => [to, [...names].sort()]))).toEqual({
      'postgresql.databases.example:5432 null': ['migrate', 'verify-audit', 'wait-for-migrations'],
      'pgbouncer.databases.example:6432 true': [
        ...['account', 'billing', 'document', 'gateway', 'scanner', 'submission', 'webhook'],
      ],
    });
  });
});

/** Returns the variables of the settings that values.schema.json offers for a process. */
function offered(image: string): string[] {
  const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as {
    definitions: Record<string, { properties?: object }>;
  };
  return Object.keys(schema.definitions[`${image}Settings`]?.properties ?? {}).map(variableOf);
}

/** Returns the variable of a setting, as named by the chart. */
function variableOf(key: string): string {
  return `SSS_${key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}
