import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';

/** Where an API server is, and what proves to it who asks. */
export interface Cluster {
  readonly server: string;
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

interface Named {
  readonly name: string;
}
interface KubeConfig {
  readonly 'current-context': string;
  readonly contexts: readonly (Named & { readonly context: { cluster: string; user: string } })[];
  readonly clusters: readonly (Named & { readonly cluster: Readonly<Record<string, string>> })[];
  readonly users: readonly (Named & { readonly user: Readonly<Record<string, string>> })[];
}

/** Reads the current context, with a client certificate, from a kubeconfig. Throws with what it lacks. */
export function readKubeconfig(path: string): Cluster {
  const config: KubeConfig = parse(readFileSync(path, 'utf8'));
  const context = named(config.contexts, config['current-context'], 'context').context;
  const { cluster } = named(config.clusters, context.cluster, 'cluster');
  const { user } = named(config.users, context.user, 'user');
  /** A file, or its content as base64. */
  const pem = (from: Readonly<Record<string, string>>, key: string) => {
    const inline = from[`${key}-data`];
    if (inline !== undefined) return Buffer.from(inline, 'base64').toString('utf8');
    const file = from[key];
    if (file === undefined) throw new Error(`${path} has no ${key}`);
    return readFileSync(resolve(dirname(path), file), 'utf8');
  };
  if (cluster.server === undefined) throw new Error(`${path} has no server`);
  return {
    server: cluster.server,
    ca: pem(cluster, 'certificate-authority'),
    certificate: pem(user, 'client-certificate'),
    key: pem(user, 'client-key'),
  };
}

function named<T extends Named>(all: readonly T[], name: string, kind: string): T {
  const found = all.find((each) => each.name === name);
  if (!found) throw new Error(`invalid kubeconfig: there is no ${kind} ${name}`);
  return found;
}
