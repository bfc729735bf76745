import type { Values } from './helm.ts';

/** Public keys of an invented cluster: kind's keys are not known before it exists. */
const CLUSTER_KEYS =
  'serviceTokens.jwks={"keys":[{"kty":"RSA","kid":"cluster","alg":"RS256","use":"sig","n":"AQAB","e":"AQAB"}]}';

/** The values that the chart ships, as installed. */
export const KIND: Values = { files: ['values-kind.yaml'], set: [CLUSTER_KEYS] };
export const PRODUCTION: Values = { files: ['values-production.yaml'] };

export const withValues = (values: Values, ...set: string[]): Values => ({
  ...values,
  set: [...(values.set ?? []), ...set],
});

/** A sidecar with every field that the chart allows. */
export const SIDECAR = {
  name: 'log-shipper',
  image: 'registry.example/log-shipper:1.2.3',
  imagePullPolicy: 'Always',
  args: ['--from=/var/shared'],
  env: [{ name: 'TARGET', value: 'logs.example' }],
  envFrom: [{ secretRef: { name: 'log-shipper' } }],
  ports: [{ name: 'status', containerPort: 9102 }],
  resources: { requests: { cpu: '10m', memory: '16Mi' }, limits: { memory: '32Mi' } },
  volumeMounts: [{ name: 'shared', mountPath: '/var/shared' }],
  startupProbe: { httpGet: { path: '/ready', port: 'status' } },
  securityContext: { runAsUser: 10_001, runAsGroup: 10_001 },
};

const RPC_ROUTES = {
  hosts: { account: 'account.rpc.example', billing: 'billing.rpc.example' },
  tlsRoute: { enabled: true, parentRefs: [{ name: 'internal', namespace: 'edge' }] },
  ingress: {
    enabled: true,
    className: 'haproxy',
    annotations: { 'haproxy.org/ssl-passthrough': 'true' },
  },
};

/** The staff console, with the identity provider of the production values. */
export const CONSOLE = {
  enabled: true,
  url: 'https://console.leads.example',
  oidc: {
    issuer: 'https://login.example',
    clientId: 'console',
    clientSecret: { existingSecret: 'console-client' },
    scopes: 'openid offline_access',
    roleClaim: 'groups',
  },
};
export const WITH_CONSOLE = withValues(PRODUCTION, `console=${JSON.stringify(CONSOLE)}`);
/** A trial on a developer's own machine, with a client that has no secret. */
export const KIND_WITH_CONSOLE = withValues(
  KIND,
  'staffIssuers=[{"issuer":"https://login.example","jwksUri":"https://login.example/keys","roleClaim":"roles","roles":["staff:*"],"maxTokenMinutes":60}]',
  'console={"enabled":true,"url":"http://localhost:8083","oidc":{"issuer":"https://login.example","clientId":"console"}}',
);

/** Documents on S3, with cloud roles instead of keys. */
export const S3_BY_ROLES = withValues(
  PRODUCTION,
  'documents.s3.role={"document":"arn:aws:iam::1:role/a","scanner":"arn:aws:iam::1:role/b","stsUrl":"https://sts.example"}',
  'documents.s3.quarantineCredentials.existingSecret=""',
  'documents.s3.cleanCredentials.existingSecret=""',
);

/** Includes everything that is off by default. */
export const EVERYTHING: Values = withValues(
  WITH_CONSOLE,
  'keda={"enabled":true,"prometheusUrl":"http://prometheus.monitoring.svc:9090"}',
  'httpRoute={"enabled":true,"parentRefs":[{"name":"public","namespace":"edge"}],"sandbox":{"apiHost":"a.example","pagesHost":"b.example"},"production":{"apiHost":"c.example","pagesHost":"d.example"},"console":{"host":"console.leads.example","parentRefs":[{"name":"internal"}]}}',
  'ingress.console={"host":"console.leads.example","className":"internal","tlsSecret":"console-tls"}',
  'networkPolicies.from.console=[{"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"ingress-internal"}}}]',
  'defaults.autoscaling.enabled=true',
  'databases.pgbouncer.host="pgbouncer.databases.example"',
  'staffCalls={"inFlight":2,"inFlightPerPerson":1,"waitSeconds":3}',
  'defaults.affinity={"nodeAffinity":{}}',
  'defaults.tolerations=[{"key":"spot","operator":"Exists"}]',
  'networkPolicies.from.journey=[{"podSelector":{"matchLabels":{"app":"journey"}}}]',
  'networkPolicies.webhookPorts=[443]',
  'monitoring={"runbookBaseUrl":"https://docs.example/runbooks.md","serviceMonitor":{"enabled":true,"labels":{"release":"prometheus"}},"rules":{"enabled":true},"dashboards":{"enabled":true,"annotations":{"grafana_folder":"Suppliers"}}}',
  'tracing={"endpoint":"https://collector.example:4318","headers":{"existingSecret":"collector"}}',
  'networkPolicies.to.collector=[{"ipBlock":{"cidr":"10.20.4.0/28"}}]',
  'networkPolicies.from.healthChecks=[{"ipBlock":{"cidr":"10.40.8.0/24"}}]',
  'defaults.podLabels={"team":"leads"}',
  'defaults.podAnnotations={"example/scanned":"yes"}',
  'defaults.serviceAccountAnnotations={"eks.amazonaws.com/role-arn":"arn:aws:iam::123456789012:role/leads"}',
  'defaults.serviceAnnotations={"cloud.google.com/backend-config":"{\\"default\\":\\"leads\\"}"}',
  'defaults.extraEnvFrom=[{"prefix":"OTEL_","secretRef":{"name":"tracing"}},{"prefix":"OTEL_RESOURCE_","configMapRef":{"name":"place","optional":true}}]',
  'defaults.extraVolumes=[{"name":"authorities","configMap":{"name":"authorities"}},{"name":"shared","emptyDir":{"sizeLimit":"16Mi"}}]',
  'defaults.extraVolumeMounts=[{"name":"authorities","mountPath":"/mnt/authorities","readOnly":true}]',
  'defaults.extraEnv=[{"name":"NODE_EXTRA_CA_CERTS","value":"/mnt/authorities/ca.pem"}]',
  `defaults.sidecars=${JSON.stringify([SIDECAR])}`,
  'migrations.podLabels={"team":"leads"}',
  'migrations.podAnnotations={"sidecar.istio.io/inject":"false"}',
  'migrations.serviceAccountAnnotations={"example/of":"migrations"}',
  'migrations.nodeSelector={"pool":"jobs"}',
  'migrations.tolerations=[{"key":"spot","operator":"Exists"}]',
  'auditVerification.podLabels={"team":"leads"}',
  'auditVerification.podAnnotations={"sidecar.istio.io/inject":"false"}',
  'auditVerification.serviceAccountAnnotations={"example/of":"audits"}',
  'auditVerification.nodeSelector={"pool":"jobs"}',
  'auditVerification.tolerations=[{"key":"spot","operator":"Exists"}]',
  `rpcRoutes=${JSON.stringify(RPC_ROUTES)}`,
);

/** EVERYTHING plus the values that apply to every object, pod and Service. */
export const ALL_OVER: Values = withValues(
  EVERYTHING,
  'commonLabels={"cost-centre":"1234"}',
  'commonAnnotations={"example/owner":"leads"}',
  'extraObjects=[{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"{{ .Release.Name }}-more"}}]',
  'service={"type":"LoadBalancer","externalTrafficPolicy":"Local","loadBalancerClass":"service.k8s.aws/nlb","ipFamilyPolicy":"PreferDualStack","ipFamilies":["IPv4","IPv6"],"trafficDistribution":"PreferClose"}',
  'defaults.runtimeClassName="gvisor"',
  'defaults.dnsConfig={"nameservers":["10.0.0.53"],"searches":["leads.example"],"options":[{"name":"ndots","value":"2"}]}',
  'defaults.hostAliases=[{"ip":"10.0.0.9","hostnames":["postgresql.example"]}]',
);
