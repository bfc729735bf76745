import type { Values } from './helm.ts';

/** Public keys of a made-up cluster: kind's are not known before there is one. */
const CLUSTER_KEYS =
  'serviceTokens.jwks={"keys":[{"kty":"RSA","kid":"cluster","alg":"RS256","use":"sig","n":"AQAB","e":"AQAB"}]}';

/** The values that the chart ships, as they are installed. */
export const KIND: Values = { files: ['values-kind.yaml'], set: [CLUSTER_KEYS] };
export const PRODUCTION: Values = { files: ['values-production.yaml'] };

export const withValues = (values: Values, ...set: string[]): Values => ({
  ...values,
  set: [...(values.set ?? []), ...set],
});

/** Everything that is off by default, too. */
export const EVERYTHING: Values = withValues(
  PRODUCTION,
  'keda={"enabled":true,"prometheusUrl":"http://prometheus.monitoring.svc:9090"}',
  'httpRoute={"enabled":true,"parentRefs":[{"name":"public","namespace":"edge"}],"sandbox":{"apiHost":"a.example","pagesHost":"b.example"},"production":{"apiHost":"c.example","pagesHost":"d.example"},"uploads":{"host":"e.example"}}',
  'ingress.uploads={"host":"e.example","tlsSecret":"uploads-tls"}',
  'defaults.autoscaling.enabled=true',
  'documents={"store":"disk","disk":{"uploadUrl":"https://e.example"}}',
  'processes.document.settings.trustedProxies=["10.40.0.0/16"]',
  'defaults.affinity={"nodeAffinity":{}}',
  'defaults.tolerations=[{"key":"spot","operator":"Exists"}]',
  'networkPolicies.from.journey=[{"podSelector":{"matchLabels":{"app":"journey"}}}]',
  'networkPolicies.webhookPorts=[443]',
  'monitoring={"runbookBaseUrl":"https://docs.example/runbooks.md","serviceMonitor":{"enabled":true,"labels":{"release":"prometheus"}},"rules":{"enabled":true},"dashboards":{"enabled":true,"annotations":{"grafana_folder":"Suppliers"}}}',
  'tracing={"endpoint":"https://collector.example:4318","headers":{"existingSecret":"collector"}}',
  'networkPolicies.to.collector=[{"ipBlock":{"cidr":"10.20.4.0/28"}}]',
);
