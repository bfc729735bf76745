import { EVERYTHING, KIND, PRODUCTION, withValues } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import { notRejected, type Rejection } from './rejections.ts';

describe.each([3, 4] as const)('values, with Helm %d', (major) => {
  describeWithHelm('the shipped values', major, (helm) => {
    it.each([
      ['kind', KIND],
      ['production', PRODUCTION],
      ['everything that is off by default', EVERYTHING],
    ])('passes the strict linter: %s', async (_, values) => {
      expect(await helm.lint(values)).toMatchObject({ ok: true });
    });
  });

  describeWithHelm('bad values', major, (helm) => {
    const refusal = async (...set: string[]) => {
      const { ok, output } = await helm.template(withValues(PRODUCTION, ...set));
      return ok ? 'rendered' : output;
    };

    it('lists everything that is missing, one per line, if nothing is set', async () => {
      const { ok, output } = await helm.template({});
      expect(ok).toBe(false);
      for (const missing of [
        'gateways.sandbox.pagesUrl: ',
        'databases.host: ',
        'databases.existingSecret: ',
        'nats.url: ',
        'nats.credentials.existingSecret: ',
        'keyRings.existingSecret: ',
        'networkPolicies.to: NetworkPolicyPeers of postgresql, nats, clamd, s3',
        'clamd.address: ',
        'documents.s3.endpoint: ',
        'documents.s3.quarantineCredentials.existingSecret: ',
        'serviceTokens.jwks: ',
      ])
        expect(output).toContain(`\n  - ${missing}`);
    });

    it('accepts values that relax nothing: private and narrow proxy ranges, memory size and authorities of Node', async () => {
      const taken = await refusal(
        'processes.gateway.settings.trustedProxies=["10.0.0.0/8","fc00::/7","2400:cb00::/32","::ffff:10.0.0.0/104","64:ff9b::10.0.0.0/104"]',
        'defaults.extraEnv=[{"name":"NODE_OPTIONS","value":"--max-old-space-size=512"},{"name":"NODE_EXTRA_CA_CERTS","value":"/ca.pem"},{"name":"OTEL_SERVICE_NAME","value":"x"},{"name":"TZ","value":"UTC"}]',
      );
      expect(taken).toBe('rendered');
    });

    it('accepts webhook events that are kept just long enough', async () => {
      expect(await refusal('processes.webhook.settings.retentionDays=16')).toBe('rendered');
    });

    const rejected = (rows: readonly (readonly string[])[]) =>
      notRejected(
        helm,
        rows.map(([what = '', set = '', message = '']): Rejection => [what, PRODUCTION, [set], message]),
      );

    // Name, assignment, expected message.
    const BY_SCHEMA = [
      ['0 replicas', 'defaults.replicas=0', '/defaults/replicas'],
      ['0 replicas of one process', 'processes.billing.replicas=0', '/processes/billing/replicas'],
      ['an unknown key', 'replicaCount=2', "'replicaCount' not allowed"],
      ['an unknown nested key', 'databases.account.runtime.password="x"', "'password' not allowed"],
      ['a setting of another process', 'processes.webhook.settings.workPool=8', "'workPool' not allowed"],
      ['a setting outside its bounds', 'processes.submission.settings.workPool=1', '/workPool'],
      ['a setting as text', 'processes.submission.settings.workPool="8"', '/workPool'],
      ['a NATS address without TLS', 'nats.url="nats://nats.example:4222"', '/nats/url'],
      ['an S3 address without TLS', 'documents.s3.endpoint="http://s3.example"', '/documents/s3/endpoint'],
      ['an S3 address with a path', 'documents.s3.endpoint="https://s3.example/x"', '/documents/s3/endpoint'],
      ['a pages address without TLS', 'gateways.sandbox.pagesUrl="http://x.example"', '/pagesUrl'],
      ['a host that is a URL', 'databases.host="postgres://x.example"', '/databases/host'],
      ['a port out of range', 'databases.port=70000', '/databases/port'],
      [
        'Node flags that the chart cannot check',
        'defaults.extraEnv=[{"name":"NODE_OPTIONS","valueFrom":{"secretKeyRef":{"name":"a","key":"b"}}}]',
        '/defaults/extraEnv/0',
      ],
      [
        'a key set address without TLS',
        'staffIssuers=[{"issuer":"x","jwksUri":"http://x","roleClaim":"r","roles":["staff:*"],"maxTokenMinutes":5}]',
        '/staffIssuers/0/jwksUri',
      ],
      [
        'a key set address for services without TLS',
        'serviceTokens.jwksUri="http://x"',
        '/serviceTokens/jwksUri',
      ],
      ['a key with a slash', 'databases.ca.key="a/b"', '/databases/ca/key'],
      ['a nonexistent mode', 'migrations.mode="later"', '/migrations/mode'],
      [
        'an invalid schedule',
        'auditVerification.schedules.account="daily"',
        '/auditVerification/schedules/account',
      ],
      [
        'a schedule of a process without an audit log',
        'auditVerification.schedules.gateway="1 2 * * *"',
        "'gateway' not allowed",
      ],
    ];
    it('are rejected by the schema, which names the value', async () => {
      expect(await rejected(BY_SCHEMA)).toEqual([]);
    });

    // Each would bypass a restriction of the chart or the settings.
    it('rejects other extra variables by the schema, which lists the accepted names', async () => {
      const names =
        'SSS_DEPLOYMENT LD_PRELOAD SSL_CERT_FILE PGOPTIONS PGPASSWORD XNODE_OPTIONS TZDIR HTTP_PROXY';
      const variables = names.split(' ').map((name) => ({ name, value: 'x' }));
      const refused = await refusal(`processes.webhook.extraEnv=${JSON.stringify(variables)}`);
      for (const [index, { name }] of variables.entries())
        expect(refused).toContain(
          `at '/processes/webhook/extraEnv/${index}/name': '${name}' does not match pattern '^(NODE|OTEL)_|^TZ$|^(HTTPS|NO)_PROXY$'`,
        );
    });

    // A null value removes the default, which must be explicit instead.
    const REQUIRED = [
      ['fourEyes', ''],
      ['tls.clientCertificates', '/tls'],
      ['tls', ''],
      ['nats.tlsFirst', '/nats'],
      ['networkPolicies.enabled', '/networkPolicies'],
      ['networkPolicies.from.public', '/networkPolicies/from'],
      ['networkPolicies.to.issuers', '/networkPolicies/to'],
      ['networkPolicies.webhookPorts', '/networkPolicies'],
      ['auditVerification.enabled', '/auditVerification'],
      ['streams.replicas', '/streams'],
    ];
    it('are rejected by the schema, which names the value, if a protective one is emptied', async () => {
      const emptied = REQUIRED.map(([value = '', at = '']) => [
        value,
        `${value}=null`,
        `at '${at}': missing property '${value.split('.').at(-1)}'`,
      ]);
      expect(await rejected(emptied)).toEqual([]);
    });

    const BY_TEMPLATES = [
      [
        'every address as a trusted proxy',
        'processes.gateway.settings.trustedProxies=["0.0.0.0/0"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'every IPv6 address as a trusted proxy',
        'processes.gateway.settings.trustedProxies=["::/0"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'two halves of all addresses as trusted proxies',
        'processes.gateway.settings.trustedProxies=["0.0.0.0/1","128.0.0.0/1"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'half of all IPv6 addresses as a trusted proxy',
        'processes.gateway.settings.trustedProxies=["fc00::/7","2000::/3"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'half of all addresses as a trusted proxy, spelled differently',
        'processes.gateway.settings.trustedProxies=["::ffff:0:0/97"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'all NAT64 addresses as a trusted proxy',
        'processes.gateway.settings.trustedProxies=["64:ff9b::10.0.0.0/104","64:FF9B:0::/96"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'all addresses of your own NAT64 prefix as a trusted proxy',
        'processes.gateway.settings.trustedProxies=["0064:ff9b:1::/048"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'every address as a trusted proxy, as IPv4-mapped addresses',
        'processes.gateway.settings.trustedProxies=["::1/128","0:0::/96"]',
        'processes.gateway.settings.trustedProxies: the addresses of your proxies',
      ],
      [
        'any certificate',
        'defaults.extraEnv=[{"name":"NODE_TLS_REJECT_UNAUTHORIZED","value":"0"}]',
        'defaults.extraEnv.0.',
      ],
      [
        'a debugger',
        'processes.account.extraEnv=[{"name":"NODE_OPTIONS","value":"--max-old-space-size=512 --inspect=0.0.0.0"}]',
        'processes.account.extraEnv.0.',
      ],
      [
        'foreign code',
        'defaults.extraEnv=[{"name":"NODE_OPTIONS","value":"-r /tmp/x.js"}]',
        'defaults.extraEnv.0.',
      ],
      [
        'the environment in a report',
        'defaults.extraEnv=[{"name":"NODE_OPTIONS","value":"--report_uncaught-exception"}]',
        'defaults.extraEnv.0.',
      ],
      [
        'the memory in a profile',
        'defaults.extraEnv=[{"name":"NODE_OPTIONS","value":"--heap-prof"}]',
        'defaults.extraEnv.0.',
      ],
      [
        'TLS settings from a file',
        'defaults.extraEnv=[{"name":"NODE_OPTIONS","value":"--openssl-shared-config"}]',
        'defaults.extraEnv.0.',
      ],
      [
        'coverage files',
        'defaults.extraEnv=[{"name":"NODE_V8_COVERAGE","value":"/tmp"}]',
        'defaults.extraEnv.0.',
      ],
      [
        'a service role for staff',
        'staffIssuers=[{"issuer":"x","jwksUri":"https://x","roleClaim":"r","roles":["service:gateway"],"maxTokenMinutes":5}]',
        'staffIssuers.0.roles: roles of staff',
      ],
      ['production without its database', 'databases.host=""', 'databases.host: '],
      ['production without NATS', 'nats.url=""', 'nats.url: '],
      ['a missing secret', 'databases.existingSecret=""', 'account.runtime, account.migrating'],
      [
        'a missing credential of one store',
        'documents.s3.cleanCredentials.existingSecret=""',
        'documents.s3.cleanCredentials.existingSecret: ',
      ],
      [
        'one bucket for both areas',
        'documents.s3.cleanBucket="leads-quarantine"',
        'documents.s3.cleanBucket: ',
      ],
      [
        'a role for only the document service',
        'documents.s3.role.document="arn:aws:iam::123456789012:role/leads"',
        'documents.s3.role: a role for document and one for scanner',
      ],
      [
        'keys in addition to roles',
        'documents.s3.role={"document":"arn:aws:iam::1:role/a","scanner":"arn:aws:iam::1:role/b"}',
        'documents.s3.cleanCredentials.existingSecret: "", since documents.s3.role is set',
      ],
      ['production on throw-away stores', 'throwAway.enabled=true', 'throwAway.enabled: false'],
      [
        'policies without addresses',
        'networkPolicies.to.nats=[]',
        'networkPolicies.to: NetworkPolicyPeers of nats',
      ],
      [
        'all addresses opened to the process that sends webhooks',
        'networkPolicies.to.issuers=[{"ipBlock":{"cidr":"0.0.0.0/0"}}]',
        'networkPolicies.to.issuers: narrower ranges than 0.0.0.0/0',
      ],
      [
        'traces for a collector that no policy permits',
        'tracing.endpoint="https://collector.example"',
        'networkPolicies.to: NetworkPolicyPeers of collector',
      ],
      [
        'collector headers without TLS',
        'tracing={"endpoint":"http://collector:4318","headers":{"existingSecret":"collector"}}',
        'tracing.endpoint: an https: address',
      ],
      [
        'no gateway at all',
        'gateways={"sandbox":{"enabled":false},"production":{"enabled":false}}',
        'gateways: enable',
      ],
      [
        'keys of the cluster in two ways',
        'serviceTokens.jwks={"keys":[{"kty":"OKP"}]}',
        'serviceTokens: jwks or jwksUri',
      ],
      ['an Ingress without its certificate', 'ingress.sandbox.tlsSecret=""', 'ingress.sandbox.tlsSecret: '],
      [
        'webhook events that are kept for less time than changes can be repeated',
        'streams={"maxAgeDays":30,"eventRetentionDays":14}',
        'processes.webhook.settings.retentionDays: at least 46',
      ],
      [
        'webhook events that are kept for a day too little',
        'processes.webhook.settings.retentionDays=15',
        'processes.webhook.settings.retentionDays: at least 16',
      ],
      [
        'more pods than the maximum',
        'defaults.autoscaling.minReplicas=9',
        'maxReplicas not below minReplicas',
      ],
      [
        'cert-manager without an issuer',
        'tls.certManager.issuerRef.name=""',
        'tls.certManager.issuerRef.name: ',
      ],
      ['KEDA without Prometheus', 'keda.enabled=true', 'keda.prometheusUrl: '],
    ];
    it('are rejected with a line that names the value to set', async () => {
      expect(await rejected(BY_TEMPLATES)).toEqual([]);
    });

    it('rejects a hook that would run before its throw-away database exists', async () => {
      const { ok, output } = await helm.template(withValues(KIND, 'migrations.mode="hook"'));
      expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining('migrations.mode: job') });
    });
  });
});
