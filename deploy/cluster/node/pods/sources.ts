import { type Api, ApiError } from '../api/api.ts';
import type { ConfigMap, Secret } from '../api/objects.ts';

/** Why a container cannot be made yet, with the kubelet's word for it; it is tried again until it can. */
export class CannotCreate extends Error {
  readonly reason: string;
  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** What a pod names and does not find. */
export class MissingSource extends CannotCreate {
  constructor(message: string) {
    super('CreateContainerConfigError', message);
  }
}

/** Where values of variables and files come from. Each resolves to undefined where there is no such object. */
export interface Sources {
  secret(namespace: string, name: string): Promise<Secret | undefined>;
  configMap(namespace: string, name: string): Promise<ConfigMap | undefined>;
}

/** Asks the API server each time: what was changed just before a pod was made must be seen by it. */
export function sourcesOf(api: Api): Sources {
  async function find<T>(path: string): Promise<T | undefined> {
    try {
      return await api.get<T>(path);
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return undefined;
      throw error;
    }
  }
  return {
    secret: (namespace, name) => find(`/api/v1/namespaces/${namespace}/secrets/${name}`),
    configMap: (namespace, name) => find(`/api/v1/namespaces/${namespace}/configmaps/${name}`),
  };
}

/** The keys of a Secret or ConfigMap and what they hold. */
export function entriesOf(object: Secret | ConfigMap): Map<string, Buffer> {
  const entries = new Map<string, Buffer>();
  const binary = object.kind === 'Secret' ? object.data : object.binaryData;
  const text = object.kind === 'Secret' ? {} : object.data;
  for (const [key, value] of Object.entries(binary ?? {})) entries.set(key, Buffer.from(value, 'base64'));
  for (const [key, value] of Object.entries(text ?? {})) entries.set(key, Buffer.from(value, 'utf8'));
  return entries;
}
