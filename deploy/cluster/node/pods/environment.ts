import type { Container, Pod } from '../api/objects.ts';
import { type PodFacts, podField, resourceField } from './pod-fields.ts';
import { entriesOf, MissingSource, type Sources } from './sources.ts';

export interface EnvironmentOptions {
  readonly pod: Pod;
  readonly container: Container;
  readonly facts: PodFacts;
  readonly sources: Sources;
  /** Where the API server is, which every container is told. */
  readonly apiServer: { readonly host: string; readonly port: number };
}

/**
 * The variables that a pod gives a container: those of the API server, then `envFrom`, then `env`, where a later one may
 * name an earlier one. Rejects with MissingSource where an object or key that is not optional is not there.
 */
export async function environmentOf(options: EnvironmentOptions): Promise<Map<string, string>> {
  const { pod, container, apiServer } = options;
  const variables = new Map([
    ['KUBERNETES_SERVICE_HOST', apiServer.host],
    ['KUBERNETES_SERVICE_PORT', String(apiServer.port)],
    ['KUBERNETES_SERVICE_PORT_HTTPS', String(apiServer.port)],
    ['HOSTNAME', pod.metadata.name],
  ]);
  for (const from of container.envFrom ?? []) {
    const reference = from.secretRef ?? from.configMapRef;
    const entries = await allEntries(options, from.secretRef ? 'secret' : 'configMap', reference);
    for (const [key, value] of entries) variables.set(`${from.prefix ?? ''}${key}`, value.toString('utf8'));
  }
  for (const variable of container.env ?? []) {
    const value = variable.valueFrom
      ? await valueFrom(options, variable.valueFrom)
      : expand(variable.value ?? '', variables);
    if (value !== undefined) variables.set(variable.name, value);
  }
  return variables;
}

type Kind = 'secret' | 'configMap';
interface Reference {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
}
type Variable = NonNullable<Container['env']>[number];

async function valueFrom(
  options: EnvironmentOptions,
  from: NonNullable<Variable['valueFrom']>,
): Promise<string | undefined> {
  const { pod, container, facts } = options;
  if (from.fieldRef) return podField(pod, facts, from.fieldRef.fieldPath);
  if (from.resourceFieldRef) {
    const { resource, divisor = '1' } = from.resourceFieldRef;
    return resourceField(container, facts, resource, String(divisor));
  }
  const reference = from.secretKeyRef ?? from.configMapKeyRef;
  if (!reference) throw new Error('invalid variable: its source is of no kind that the node knows');
  const kind = from.secretKeyRef ? 'secret' : 'configMap';
  const value = (await allEntries(options, kind, reference)).get(reference.key);
  if (value === undefined && !reference.optional)
    throw new MissingSource(`couldn't find key ${reference.key} in ${kind} ${reference.name}`);
  return value?.toString('utf8');
}

async function allEntries(
  { pod, sources }: EnvironmentOptions,
  kind: Kind,
  reference: Reference | undefined,
): Promise<Map<string, Buffer>> {
  const name = reference?.name ?? '';
  const found = await sources[kind](pod.metadata.namespace, name);
  if (found) return entriesOf(found);
  if (reference?.optional) return new Map();
  throw new MissingSource(`${kind.toLowerCase()} "${name}" not found`);
}

/** Replaces `$(NAME)` by a variable's value; what is not known stays as it is, and `$$(NAME)` means `$(NAME)` itself. */
export function expand(text: string, variables: ReadonlyMap<string, string>): string {
  return text.replaceAll(/\$\$|\$\(([^)]*)\)/g, (whole: string, name?: string) =>
    name === undefined ? '$' : (variables.get(name) ?? whole),
  );
}
