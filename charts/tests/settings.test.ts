import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig as account } from '../../services/account/src/config.ts';
import { readConfig as billing } from '../../services/billing/src/config.ts';
import { readConfig as staffConsole } from '../../services/console/src/config.ts';
import { readConfig as document } from '../../services/document/src/config.ts';
import { readScannerConfig as scanner } from '../../services/document/src/scan/scanner-config.ts';
import { readConfig as gateway } from '../../services/gateway/src/config.ts';
import { readTracingConfig } from '../../services/lib/runtime/tracing/tracing-config.ts';
import { readConfig as submission } from '../../services/submission/src/config.ts';
import { readConfig as webhook } from '../../services/webhook/src/config.ts';
import {
  EVERYTHING,
  KIND,
  KIND_WITH_CONSOLE,
  PRODUCTION,
  S3_BY_ROLES,
  WITH_CONSOLE,
  withValues,
} from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { type KubernetesObject, ofKind, type Pod, plainVariables, podsIn } from './objects.ts';

type ReadConfig = (env: NodeJS.ProcessEnv) => unknown;
const READERS: Readonly<Record<string, ReadConfig>> = {
  account,
  billing,
  console: staffConsole,
  document,
  gateway,
  scanner,
  submission,
  webhook,
};

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chart-settings-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

describeWithHelm('settings', 4, (helm) => {
  it.each([
    ['kind', KIND],
    ['kind, with a console', KIND_WITH_CONSOLE],
    ['production', PRODUCTION],
    ['everything', EVERYTHING],
    [
      'documents on S3 with a public address',
      withValues(PRODUCTION, 'documents.s3.publicUrl="https://files.example"'),
    ],
    ['documents on S3 by roles', S3_BY_ROLES],
    ['only production', withValues(PRODUCTION, 'gateways.sandbox={"enabled":false,"pagesUrl":""}')],
  ])('of each process are complete and contain nothing unknown: %s', async (_, values) => {
    const objects = await helm.render(values);
    const read = processesIn(objects).map((pod) => ({ pod, config: configOf(pod, objects) }));
    const installed = Object.keys(READERS).filter(
      (name) => name !== 'console' || values === EVERYTHING || values === KIND_WITH_CONSOLE,
    );
    expect(new Set(read.map(({ pod }) => imageOf(pod)))).toEqual(new Set(installed));
    for (const { config } of read) expect(config).toBeDefined();
  });

  it('keep large numbers and lists, and an environment overrides all', async () => {
    const objects = await helm.render(
      withValues(
        PRODUCTION,
        'processes.document.settings={"maxDocumentBytes":26214400,"accountDocumentBytes":53687091200,"documentContentTypes":["application/pdf","text/csv"]}',
        'processes.gateway.settings.writesPerMinute=10000000',
        'processes.webhook.settings.nat64Prefixes=["2a01:db8:64::/48","64:ff9b:1:fffe::/96"]',
        'gateways.production.settings={"writesPerMinute":7,"journeyUrl":"https://other.example/"}',
        'streams.maxBytes=999999999999999',
      ),
    );
    const of = (component: string) => {
      const pod = processesIn(objects).find((one) => one.component === component);
      return pod ? configOf(pod, objects) : undefined;
    };
    expect(of('document')).toMatchObject({
      limits: {
        maxBytes: 26_214_400,
        accountBytes: 53_687_091_200,
        contentTypes: ['application/pdf', 'text/csv'],
      },
      publishedDays: 7,
    });
    const [configuring] = podsIn(ofKind(objects, 'Job')).filter(({ component }) => component === 'streams');
    const [container] = configuring?.spec.containers ?? [];
    expect(container && plainVariables(container)).toMatchObject({
      ...{ SSS_STREAM_REPLICAS: '3', SSS_STREAM_MAX_AGE_DAYS: '7' },
      SSS_STREAM_MAX_BYTES: '999999999999999',
    });
    expect(of('gateway-sandbox')).toMatchObject({
      writesPerMinute: 10_000_000,
      journeyUrl: 'https://journey.example/start',
    });
    expect(of('gateway-production')).toMatchObject({
      open: true,
      writesPerMinute: 7,
      journeyUrl: 'https://other.example/',
      trustedProxies: ['10.40.0.0/16'],
    });
    expect(of('webhook')).toMatchObject({ nat64Prefixes: ['2a01:db8:64::/48', '64:ff9b:1:fffe::/96'] });
    expect(of('submission')).toMatchObject({
      pagesUrls: {
        sandbox: 'https://pages.sandbox.leads.example',
        production: 'https://pages.leads.example',
      },
    });
  });

  it('for staff calls and clocks are the same in every service, with shares based on its pool by default', async () => {
    const serviceOf = (objects: KubernetesObject[], component: string) => {
      const pod = processesIn(objects).find((one) => one.component === component);
      return pod ? configOf(pod, objects) : undefined;
    };
    const usual = await helm.render(withValues(PRODUCTION, 'processes.billing.databasePool=3'));
    expect(serviceOf(usual, 'submission')).toMatchObject({
      clockToleranceS: 30,
      staffCalls: { inFlight: 4, inFlightPerPerson: 2, maxWaitMs: 5_000 },
    });
    expect(serviceOf(usual, 'billing')).toMatchObject({ staffCalls: { inFlight: 1, inFlightPerPerson: 1 } });
    const own = await helm.render(withValues(EVERYTHING, 'tokenClockToleranceSeconds=0'));
    for (const component of ['account', 'submission', 'document', 'billing', 'webhook'])
      expect(serviceOf(own, component)).toMatchObject({
        clockToleranceS: 0,
        staffCalls: { inFlight: 2, inFlightPerPerson: 1, maxWaitMs: 3_000 },
      });
  });

  it('for the console match its values', async () => {
    const objects = await helm.render(
      withValues(
        EVERYTHING,
        'console.sessionMinutes=30',
        'console.idleMinutes=5',
        'console.connectionsPerAddress=7',
      ),
    );
    const pod = processesIn(objects).find(({ component }) => component === 'console') as Pod;
    expect(configOf(pod, objects)).toMatchObject({
      url: new URL('https://console.leads.example'),
      oidc: {
        issuer: new URL('https://login.example'),
        clientId: 'console',
        clientSecret: 'secret',
        scopes: 'openid offline_access',
      },
      roleClaim: 'groups',
      sessions: { longestMs: 1_800_000, idleMs: 300_000 },
    });
  });

  it('of one process override the defaults, even if false or 0', async () => {
    const objects = await helm.render(
      withValues(
        PRODUCTION,
        'defaults.autoscaling.enabled=true',
        'processes.billing.autoscaling.enabled=false',
        'processes.billing.preStopSeconds=0',
        'processes.billing.databasePool=3',
      ),
    );
    const pod = processesIn(objects).find(({ component }) => component === 'billing') as Pod;
    expect(pod.spec.containers[0]?.lifecycle).toBeUndefined();
    expect(configOf(pod, objects)).toMatchObject({ databasePool: 3 });
    expect(pod.owner.spec).toMatchObject({ replicas: 3 });
  });

  it('for tracing are valid for every process, with headers from their Secret', async () => {
    for (const pod of processesIn(await helm.render(EVERYTHING))) {
      const [container] = pod.spec.containers;
      expect(readTracingConfig(pod.component, plainVariables(container ?? { name: '' }))).toMatchObject({
        url: 'https://collector.example:4318/v1/traces',
        sampling: { ratio: 0.1, followsParent: true },
      });
      expect(container?.env).toContainEqual({
        name: 'OTEL_EXPORTER_OTLP_HEADERS',
        valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } },
      });
    }
    expect(JSON.stringify(await helm.render(PRODUCTION))).not.toContain('OTEL_');
  });

  it('for issuers give each service its own role, by the service accounts of the release', async () => {
    const objects = await helm.render(WITH_CONSOLE);
    const [cluster, staff] = issuersOf(objects);
    const subject = (name: string) => `system:serviceaccount:suppliers:leads-supplier-submissions-${name}`;
    expect(cluster).toEqual({
      issuer: 'https://oidc.cloud.example/cluster',
      jwksUri: 'https://oidc.cloud.example/cluster/keys',
      maxTokenMinutes: 60,
      services: {
        'service:gateway': [subject('gateway-production'), subject('gateway-sandbox')],
        'service:submission': [subject('submission')],
        'service:billing': [subject('billing')],
        'service:document': [subject('document')],
        'service:webhook': [subject('webhook')],
      },
    });
    expect(staff).toMatchObject({ issuer: 'https://login.example', roles: ['staff:*'] });
    const accounts = ofKind(objects, 'ServiceAccount').map(({ metadata }) => metadata.name);
    expect(accounts).toContain('leads-supplier-submissions-gateway-sandbox');
  });

  it('name a token only for each service that is called', async () => {
    for (const pod of processesIn(await helm.render(EVERYTHING))) {
      // The console calls with the tokens of logged-in users.
      if (pod.component === 'console') {
        expect(JSON.stringify(pod.spec)).not.toContain('serviceAccountToken');
        continue;
      }
      const called = Object.keys(plainVariables(pod.spec.containers[0] ?? { name: '' })).flatMap(
        (name) =>
          /^SSS_(ACCOUNT|SUBMISSION|DOCUMENT|BILLING|WEBHOOK)_URL$/.exec(name)?.[1]?.toLowerCase() ?? [],
      );
      const volume = pod.spec.volumes?.find(({ name }) => name === 'tokens');
      const tokens = (volume?.projected?.sources ?? []).map(({ serviceAccountToken }) => serviceAccountToken);
      expect(tokens.map((token) => token?.path).sort()).toEqual(called.sort());
      for (const token of tokens) expect(token?.audience).toBe(token?.path);
    }
  });
});

const imageOf = (pod: Pod) => pod.component.replace(/^gateway-.*/, 'gateway');
const processesIn = (objects: readonly KubernetesObject[]) =>
  podsIn(objects).filter((pod) => imageOf(pod) in READERS);

/** Returns the configuration that the process reads from its variables. Throws what would stop its startup. */
function configOf(pod: Pod, objects: readonly KubernetesObject[]): unknown {
  const read = READERS[imageOf(pod)] as ReadConfig;
  return read(withFiles(plainVariables(pod.spec.containers[0] ?? { name: '' }), objects));
}

/** Writes the files that a process reads at startup to a folder of this test. */
function withFiles(
  env: Record<string, string>,
  objects: readonly KubernetesObject[],
): Record<string, string> {
  const contents: Readonly<Record<string, string>> = {
    SSS_ISSUERS_FILE: JSON.stringify(issuersOf(objects)),
    SSS_OIDC_CLIENT_SECRET_FILE: 'secret',
    SSS_S3_QUARANTINE_CREDENTIALS_FILE: '{"accessKeyId": "a", "secretAccessKey": "b"}',
    SSS_S3_CLEAN_CREDENTIALS_FILE: '{"accessKeyId": "c", "secretAccessKey": "d"}',
  };
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => {
      const content = contents[name];
      if (content === undefined) return [name, value];
      const path = join(folder, name);
      writeFileSync(path, content);
      return [name, path];
    }),
  );
}

function issuersOf(objects: readonly KubernetesObject[]): unknown[] {
  const map = ofKind(objects, 'ConfigMap').find(({ metadata }) => metadata.name.endsWith('-issuers'));
  const data = (map?.data ?? {}) as Record<string, string>;
  return JSON.parse(data['issuers.json'] ?? '') as unknown[];
}
