import type { ApiClient } from '../../deploy/cluster/api-client.ts';

interface Resource {
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}
interface Listed {
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

/** What every namespace has, and what tells of the past alone. */
const ITS_OWN = ['serviceaccounts/default', 'configmaps/kube-root-ca.crt'];
const PAST = ['events'];

/** Every object of a namespace, of whatever kind, as `kind/name`, but for those that every namespace has. */
export async function objectsIn(api: ApiClient, namespace: string): Promise<string[]> {
  const { groups } = await api.get<{ groups: { preferredVersion: { groupVersion: string } }[] }>('/apis');
  const versions = [
    'api/v1',
    ...groups.map(({ preferredVersion }) => `apis/${preferredVersion.groupVersion}`),
  ];
  const found: string[] = [];
  for (const version of versions) {
    const { resources } = await api.get<{ resources: Resource[] }>(`/${version}`);
    const kinds = resources.filter(
      ({ namespaced, verbs, name }) => namespaced && verbs.includes('list') && !PAST.includes(name),
    );
    for (const { name } of kinds) {
      const { items } = await api.get<Listed>(`/${version}/namespaces/${namespace}/${name}`);
      found.push(...items.map(({ metadata }) => `${name}/${metadata.name}`));
    }
  }
  return found.filter((one) => !ITS_OWN.includes(one)).sort();
}
