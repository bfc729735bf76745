import { EVERYTHING, KIND, KIND_WITH_CONSOLE, PRODUCTION, WITH_CONSOLE, withValues } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { notRejected, type Rejection } from './rejections.ts';

const SANDBOX_HOSTS = (apiHost: string, pagesHost: string) =>
  `ingress.sandbox={"apiHost":"${apiHost}","pagesHost":"${pagesHost}","tlsSecret":"sandbox-tls"}`;
const ISSUER =
  '"jwksUri":"https://x.example/keys","roleClaim":"roles","roles":["staff:*"],"maxTokenMinutes":60';
const SIDECAR = (other: string) =>
  `defaults.sidecars=[{"name":"logs","image":"r.example/logs:1","resources":{"requests":{"cpu":"10m","memory":"16Mi"},"limits":{"memory":"32Mi"}}${other}}]`;

describe.each([3, 4] as const)('contradictory values, with Helm %d', (major) => {
  describeWithHelm('a release', major, (helm) => {
    const outcome = async (values: typeof KIND, ...set: string[]) => {
      const { ok, output } = await helm.template(withValues(values, ...set));
      return ok ? 'rendered' : output;
    };

    const CONTRADICTIONS: readonly Rejection[] = [
      [
        'the API of two environments on one host',
        PRODUCTION,
        [SANDBOX_HOSTS('api.leads.example', 'pages.sandbox.leads.example')],
        'ingress.sandbox.apiHost: a different host; api.leads.example is already used by ingress.production.apiHost',
      ],
      [
        'API and pages on one host',
        PRODUCTION,
        [SANDBOX_HOSTS('pages.sandbox.leads.example', 'pages.sandbox.leads.example')],
        'ingress.sandbox.pagesHost: a different host',
      ],
      [
        'API and pages on one host by the Gateway API',
        PRODUCTION,
        [
          'ingress.enabled=false',
          'httpRoute={"enabled":true,"parentRefs":[{"name":"x"}],"sandbox":{"apiHost":"pages.sandbox.leads.example","pagesHost":"pages.sandbox.leads.example"},"production":{"apiHost":"api.leads.example","pagesHost":"pages.leads.example"}}',
        ],
        'httpRoute.sandbox.pagesHost: a different host',
      ],
      [
        'one host for two purposes, by an Ingress and by a route',
        EVERYTHING,
        ['httpRoute.sandbox.apiHost="pages.leads.example"'],
        'httpRoute.sandbox.apiHost: a different host; pages.leads.example is already used by ingress.production.pagesHost',
      ],
      [
        'the console on the host of the API',
        WITH_CONSOLE,
        [
          'console.url="https://api.leads.example"',
          'ingress.console={"host":"api.leads.example","tlsSecret":"x"}',
        ],
        'ingress.console.host: a different host',
      ],
      [
        'RPC on the host of the API',
        EVERYTHING,
        ['rpcRoutes.hosts.account="api.leads.example"'],
        'rpcRoutes.hosts.account: a different host',
      ],
      [
        'RPC of two services on one host',
        EVERYTHING,
        ['rpcRoutes.hosts={"account":"rpc.example","billing":"rpc.example"}'],
        'rpcRoutes.hosts.billing: a different host; rpc.example is already used by rpcRoutes.hosts.account',
      ],
      [
        'pages at a different host from their URL',
        PRODUCTION,
        ['gateways.production.pagesUrl="https://www.leads.example"'],
        'gateways.production.pagesUrl: its public host, pages.leads.example, instead of www.leads.example',
      ],
      [
        'an API at a different host from the one in the guides',
        PRODUCTION,
        ['processes.gateway.settings.sandboxUrl="https://sandbox.example"'],
        'processes.gateway.settings.sandboxUrl: its public host, api.sandbox.leads.example',
      ],
      [
        'the same, in the settings of one environment',
        PRODUCTION,
        ['gateways.production.settings.productionUrl="https://production.example"'],
        'gateways.production.settings.productionUrl: its public host, api.leads.example',
      ],
      [
        'uploads at the address of the API',
        KIND,
        ['throwAway.uploadUrl="http://localhost:8080"'],
        'throwAway.uploadUrl: a different host; localhost:8080 is already used by processes.gateway.settings.sandboxUrl',
      ],
      [
        'pages of both environments at one address, behind your own proxy',
        PRODUCTION,
        ['ingress.enabled=false', 'gateways.sandbox.pagesUrl="https://PAGES.leads.example:443/sandbox"'],
        'gateways.sandbox.pagesUrl: a different host; pages.leads.example is already used by gateways.production.pagesUrl',
      ],
      [
        'pages at the address of the API',
        KIND,
        ['gateways.sandbox.pagesUrl="http://localhost:8080"'],
        'processes.gateway.settings.sandboxUrl: a different host; localhost:8080 is already used by gateways.sandbox.pagesUrl',
      ],
      [
        'one database for two services',
        PRODUCTION,
        ['databases.submission.name="account"'],
        'databases.submission.name: a different database; postgresql.databases.example:5432/account is already used by databases.account',
      ],
      [
        'one database for two services, spelled differently',
        PRODUCTION,
        ['databases.webhook={"host":"PostgreSQL.databases.example","port":5432,"name":"limits"}'],
        'databases.webhook.name: a different database',
      ],
      [
        'one throw-away database for two services',
        KIND,
        ['databases.billing.name="account"'],
        'databases.billing.name: a different database',
      ],
      [
        'one throw-away role for two databases',
        KIND,
        ['databases.billing.runtime.user="account_runtime"'],
        'databases.billing.runtime.user: a different role',
      ],
      [
        'a role that runs and owns the tables',
        PRODUCTION,
        ['databases.billing.runtime.user="billing"'],
        'databases.billing.runtime.user: a different role than migrating.user',
      ],
      [
        'less memory than is requested',
        PRODUCTION,
        ['defaults.resources.limits.memory="64Mi"'],
        'defaults.resources.limits.memory: at least defaults.resources.requests.memory, which is 128Mi; it is 64Mi',
      ],
      [
        'less memory than is requested, in another unit',
        PRODUCTION,
        ['processes.gateway.resources={"requests":{"memory":"1Gi"},"limits":{"memory":"1000M"}}'],
        'processes.gateway.resources.limits.memory: at least processes.gateway.resources.requests.memory, which is 1Gi; it is 1000M',
      ],
      [
        'a request of one process above the limit of all',
        PRODUCTION,
        ['processes.webhook.resources.requests.memory="1G"'],
        'defaults.resources.limits.memory: at least processes.webhook.resources.requests.memory, which is 1G; it is 384Mi',
      ],
      [
        'less CPU than is requested, as a number',
        PRODUCTION,
        ['processes.webhook.resources={"requests":{"cpu":"1500m"},"limits":{"cpu":1}}'],
        'processes.webhook.resources.limits.cpu: at least processes.webhook.resources.requests.cpu, which is 1500m; it is 1',
      ],
      [
        'migrations with less than they request',
        PRODUCTION,
        ['migrations.resources.limits.memory="95Mi"'],
        'migrations.resources.limits.memory: ',
      ],
      [
        'verification with less than it requests',
        PRODUCTION,
        [
          'auditVerification.resources.limits={"ephemeral-storage":"1e3"}',
          'auditVerification.resources.requests={"ephemeral-storage":"1Ki"}',
        ],
        'auditVerification.resources.limits.ephemeral-storage: at least auditVerification.resources.requests.ephemeral-storage, which is 1Ki; it is 1e3',
      ],
      [
        'a sidecar with less than it requests',
        PRODUCTION,
        [SIDECAR(',"resources":{"requests":{"cpu":"10m","memory":"33Mi"},"limits":{"memory":"32Mi"}}')],
        'defaults.sidecars.0.resources.limits.memory: ',
      ],
      ...[
        ['databases.existingSecret="x"', 'databases.existingSecret'],
        ['databases.host="postgresql.example"', 'databases.host'],
        ['databases.ca.existingSecret="x"', 'databases.ca.existingSecret'],
        ['databases.billing.migrating.existingSecret="x"', 'databases.billing.migrating.existingSecret'],
        ['nats.url="tls://nats.example:4222"', 'nats.url'],
        ['nats.credentials.existingSecret="x"', 'nats.credentials.existingSecret'],
        ['nats.credentials.secrets.account="x"', 'nats.credentials.secrets'],
        ['keyRings.existingSecret="x"', 'keyRings.existingSecret'],
        ['keyRings.secrets.account="x"', 'keyRings.secrets'],
        ['documents.s3.endpoint="https://s3.example"', 'documents.s3.endpoint'],
        ['documents.s3.cleanCredentials.existingSecret="x"', 'documents.s3.cleanCredentials.existingSecret'],
        ['documents.s3.role.scanner="arn:aws:iam::1:role/a"', 'documents.s3.role'],
        ['tls.secrets.account="x"', 'tls.secrets'],
        ['tls={"mode":"cert-manager","certManager":{"issuerRef":{"name":"x"}}}', 'tls.mode'],
        ['clamd.address="tcp://clamd.example:3310"', 'clamd.address'],
      ].map(([set = '', at]): Rejection => [`${at} beside throw-away stores`, KIND, [set], `${at}: `]),
      [
        'an issuer of staff at a plain address',
        PRODUCTION,
        [`staffIssuers=[{"issuer":"http://login.example",${ISSUER}}]`],
        'staffIssuers.0.issuer: an https: address; anyone on the network could impersonate http://login.example',
      ],
      [
        'an issuer of services at a plain address',
        PRODUCTION,
        ['serviceTokens.issuer="HTTP://oidc.example"'],
        'serviceTokens.issuer: an https: address',
      ],
      [
        'every address as a trusted proxy of one environment',
        PRODUCTION,
        ['gateways.production.settings.trustedProxies=["10.0.0.0/8","::/0"]'],
        'gateways.production.settings.trustedProxies: the addresses of your proxies instead of ::/0',
      ],
      [
        'a volume of the console by a name of the chart',
        WITH_CONSOLE,
        ['processes.console.extraVolumes=[{"name":"oidc-client","emptyDir":{}}]'],
        'processes.console.extraVolumes.0.name: another name than oidc-client',
      ],
      [
        'a sidecar on the port of the console',
        PRODUCTION,
        [SIDECAR(',"ports":[{"containerPort":8083}]')],
        'defaults.sidecars.0.ports: ',
      ],
    ];

    it('are rejected with an explanation', async () => {
      const explained = CONTRADICTIONS.map(
        ([what, values, set, message]): Rejection => [what, values, set, `\n  - ${message}`],
      );
      expect(await notRejected(helm, explained)).toEqual([]);
    });

    it.each([
      ['one host with two routes', EVERYTHING, ['httpRoute.sandbox.apiHost="api.sandbox.leads.example"']],
      [
        'a port beside the host',
        PRODUCTION,
        ['gateways.production.pagesUrl="https://pages.leads.example:8443"'],
      ],
      ['an issuer that is not a URL', PRODUCTION, ['serviceTokens.issuer="kubernetes/serviceaccount"']],
      [
        'one name on two servers',
        PRODUCTION,
        ['databases.submission={"host":"two.example","name":"account"}'],
      ],
      [
        'as much as is requested, in another unit',
        PRODUCTION,
        [
          'defaults.resources={"requests":{"cpu":"0.5","memory":"1Gi"},"limits":{"cpu":"500m","memory":"1048576Ki"}}',
        ],
      ],
      [
        'your own scanner with throw-away stores',
        KIND,
        ['throwAway.clamd=false', 'clamd.address="tcp://clamd.example:3310"'],
      ],
      ['a console at a port of localhost', KIND_WITH_CONSOLE, []],
    ])('%s: accepted', async (_, values, set) => {
      expect(await outcome(values, ...set)).toBe('rendered');
    });

    it("never reports just that `'not'` failed", async () => {
      const { ok, output } = await helm.template(
        withValues(
          PRODUCTION,
          'processes.gateway.settings.trustedProxies=["0.0.0.0/0"]',
          'defaults.extraEnv=[{"name":"NODE_TLS_REJECT_UNAUTHORIZED","value":"0"},{"name":"NODE_OPTIONS","value":"--inspect"}]',
          'defaults.extraVolumes=[{"name":"tls","emptyDir":{}}]',
          `staffIssuers=[{"issuer":"x","jwksUri":"https://x","roleClaim":"r","roles":["service:gateway"],"maxTokenMinutes":5}]`,
        ),
      );
      expect(ok).toBe(false);
      expect(output).not.toContain("'not'");
      expect(output.match(/^ {2}- .*/gm)).toHaveLength(5);
    });
  });
});
