import type { Cluster } from '../../deploy/cluster/cluster.ts';

/** Every object of a namespace as `kind/name`, except events and those that every namespace has. */
export async function objectsIn({ shell }: Cluster, namespace: string): Promise<string[]> {
  const names = await shell(`
    kinds=$(kubectl api-resources --verbs=list --namespaced --output name | grep -v '^events' | paste -sd,)
    kubectl get "$kinds" --namespace ${namespace} --output name --ignore-not-found`);
  const own = ['serviceaccount/default', 'configmap/kube-root-ca.crt'];
  return names.split('\n').filter((name) => name !== '' && !own.includes(name));
}
