import type { Api } from '../api/api.ts';
import type { Pod } from '../api/objects.ts';

/** A token is renewed when this part of its life is over. */
const RENEW_AFTER = 0.8;
const MAX_AGE_MS = 24 * 3_600_000;

/** Tokens of a pod's service account, bound to the pod. */
export interface PodTokens {
  /** The token for an audience (the API server's own if absent): the one from before while it is young. */
  token(audience: string | undefined, seconds: number): Promise<string>;
  /** When the first of them has to be renewed, in milliseconds since 1970; undefined where there is none. */
  renewAt(): number | undefined;
}

interface TokenRequest {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

export function podTokens(api: Api, { metadata, spec }: Pod): PodTokens {
  const held = new Map<string, { token: string; renewAt: number }>();
  const path = `/api/v1/namespaces/${metadata.namespace}/serviceaccounts/${spec.serviceAccountName ?? 'default'}/token`;
  return {
    async token(audience, expirationSeconds) {
      const key = `${audience ?? ''} ${expirationSeconds}`;
      const before = held.get(key);
      if (before && before.renewAt > Date.now()) return before.token;
      const { status } = await api.create<TokenRequest>(path, {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: {
          audiences: audience === undefined ? [] : [audience],
          expirationSeconds,
          boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: metadata.name, uid: metadata.uid },
        },
      });
      const life = Date.parse(status.expirationTimestamp) - Date.now();
      const renewAt = Date.now() + Math.min(life * RENEW_AFTER, MAX_AGE_MS);
      held.set(key, { token: status.token, renewAt });
      return status.token;
    },
    renewAt: () =>
      held.size === 0 ? undefined : Math.min(...[...held.values()].map((each) => each.renewAt)),
  };
}
