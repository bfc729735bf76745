import type { Pod, VolumeProjection } from '../api/objects.ts';
import { type PodFacts, podField, resourceField } from '../pods/pod-fields.ts';
import { entriesOf, MissingSource, type Sources } from '../pods/sources.ts';
import type { VolumeFile } from './atomic-files.ts';
import type { PodTokens } from './pod-tokens.ts';

export interface ProjectionContext {
  readonly pod: Pod;
  readonly facts: PodFacts;
  readonly sources: Sources;
  readonly tokens: PodTokens;
  /** Of files that say nothing else. */
  readonly mode: number;
  /** Of tokens, which are for their owner alone. */
  readonly tokenMode: number;
  readonly tokenUser: number;
}

type Downward = NonNullable<VolumeProjection['downwardAPI']>;
interface Item {
  readonly key: string;
  readonly path: string;
  readonly mode?: number;
}
interface Keyed {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly items?:
    | readonly { readonly key: string; readonly path: string; readonly mode?: number }[]
    | undefined;
}

/** The files that one source of a volume brings. Rejects with MissingSource where something not optional is not there. */
export async function filesOf(
  source: VolumeProjection,
  context: ProjectionContext,
): Promise<Map<string, VolumeFile>> {
  const { secret, configMap, downwardAPI, serviceAccountToken } = source;
  if (secret) return keyed('secret', secret, context);
  if (configMap) return keyed('configMap', configMap, context);
  if (downwardAPI) return downward(downwardAPI, context);
  if (serviceAccountToken) {
    const { audience, expirationSeconds, path } = serviceAccountToken;
    const token = await context.tokens.token(audience, expirationSeconds ?? 3600);
    const file = { content: Buffer.from(token), mode: context.tokenMode, user: context.tokenUser };
    return new Map([[path, file]]);
  }
  throw new Error(
    `cannot project a volume source that the node does not support: ${Object.keys(source).join(', ')}`,
  );
}

async function keyed(
  kind: 'secret' | 'configMap',
  { name = '', optional, items }: Keyed,
  context: ProjectionContext,
): Promise<Map<string, VolumeFile>> {
  const found = await context.sources[kind](context.pod.metadata.namespace, name);
  if (!found && !optional) throw new MissingSource(`${kind.toLowerCase()} "${name}" not found`);
  const entries = found ? entriesOf(found) : new Map<string, Buffer>();
  const files = new Map<string, VolumeFile>();
  const wanted: readonly Item[] = items ?? [...entries.keys()].map((key) => ({ key, path: key }));
  for (const { key, path, mode } of wanted) {
    const content = entries.get(key);
    if (content) files.set(path, { content, mode: mode ?? context.mode });
    else if (!optional) throw new MissingSource(`${kind.toLowerCase()} "${name}" has no key ${key}`);
  }
  return files;
}

function downward({ items = [] }: Downward, context: ProjectionContext): Map<string, VolumeFile> {
  const { pod, facts } = context;
  return new Map(
    items.map(({ path, fieldRef, resourceFieldRef, mode }) => {
      let value = '';
      if (fieldRef) value = podField(pod, facts, fieldRef.fieldPath);
      else if (resourceFieldRef) {
        const of = pod.spec.containers.find(({ name }) => name === resourceFieldRef.containerName);
        if (!of) throw new Error(`there is no container ${resourceFieldRef.containerName}`);
        value = resourceField(of, facts, resourceFieldRef.resource, String(resourceFieldRef.divisor ?? '1'));
      }
      return [path, { content: Buffer.from(value), mode: mode ?? context.mode }];
    }),
  );
}
