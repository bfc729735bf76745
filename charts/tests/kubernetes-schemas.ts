import type { KubernetesObject } from './objects.ts';

/** Packages generated from the schemas of Kubernetes and its extensions, by API group. */
const PACKAGES: Readonly<Record<string, string>> = {
  'cert-manager.io': '@kubernetes-models/cert-manager',
  'external-secrets.io': '@kubernetes-models/external-secrets',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
  'keda.sh': '@kubernetes-models/keda',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg',
};

type Model = new (object: KubernetesObject) => { validate(): void };

/** Returns the module with the model and type of an object. */
export function packageOf({ apiVersion }: KubernetesObject): string {
  const [group = ''] = apiVersion.split('/');
  return `${PACKAGES[group] ?? 'kubernetes-models'}/${apiVersion}`;
}

/** Rejects with the errors unless all required fields exist and have the right type and format. */
export async function validate(object: KubernetesObject): Promise<void> {
  const models = (await import(packageOf(object))) as Record<string, Model>;
  const model = models[object.kind];
  if (!model) throw new Error(`there is no ${object.apiVersion} ${object.kind}`);
  new model(object).validate();
}
