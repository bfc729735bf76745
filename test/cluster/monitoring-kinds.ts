import type { Cluster } from '../../deploy/cluster/cluster.ts';

export const GROUP = 'monitoring.coreos.com';
export const KINDS = { ServiceMonitor: 'servicemonitors', PrometheusRule: 'prometheusrules' } as const;

/** Values that make the chart create Prometheus operator objects. The kinds must exist: `monitoringKinds`. */
export const MONITORED = {
  monitoring: { serviceMonitor: { enabled: true, interval: '5s' }, rules: { enabled: true } },
};

/** Creates the operator's two kinds, with the most permissive schema. */
export async function monitoringKinds({ api }: Cluster): Promise<void> {
  for (const [kind, plural] of Object.entries(KINDS))
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
}
