import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundled } from '@supplier/lib/runtime/build';
import type { Settings } from '../config.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ContextEntry, Login } from './context-schema.ts';
import { type Endpoints, endpointsOf, forEachService, readPem, requireTls } from './endpoints.ts';
import { type KubeTarget, parseKubeTarget } from './kube/kube-target.ts';

/** The target of a command and its TLS and login settings. */
export interface Context {
  /** Name as shown to the user: `staging`, or the path of the local stack's file. */
  readonly name: string;
  /** Name used for files. */
  readonly key: string;
  readonly services: Endpoints;
  /** A cluster whose services kubectl forwards to. */
  readonly kube: KubeTarget | undefined;
  readonly login: Login | undefined;
  /** Token of a local stack, which anyone who can read its description may use. */
  readonly localToken: string | undefined;
}

/** Flags that select the context. */
export interface TargetFlags {
  readonly stack?: string;
  readonly context?: string;
  readonly kube?: string;
  readonly kubeRelease?: string;
}

/** The description file of this workspace's local stack. */
const LOCAL_STACK = resolve(dirname(fileURLToPath(import.meta.url)), '../../../../.run/stack.json');

/**
 * Resolves the context from a flag, the environment, or the configuration's current context. Without any, uses this
 * workspace's local stack if it is running. Throws CommandFailure.
 */
export async function resolveContext(flags: TargetFlags, settings: Settings): Promise<Context> {
  const kube = kubeTargetOf(flags);
  if (kube) return contextOfKube(kube, flags.context ?? settings.context, settings);
  if (flags.stack !== undefined) return contextOfStack(resolve(flags.stack));
  if (flags.context !== undefined) return contextOfConfig(settings, flags.context);
  if (settings.stackFile !== undefined) return contextOfStack(resolve(settings.stackFile));
  const named = settings.context ?? (await currentOf(settings));
  if (named !== undefined) return contextOfConfig(settings, named);
  // An installed package has no workspace, and a file at that path would belong to another user.
  if (!isBundled && existsSync(LOCAL_STACK)) return contextOfStack(LOCAL_STACK);
  const local = isBundled ? '' : ', or start a local stack with `npm start`';
  throw new CommandFailure(
    exitCodes.usage,
    `no context is configured: add one with \`sss contexts add NAME --url https://…\` or \`sss contexts add NAME --kube CONTEXT/NAMESPACE\`${local}`,
  );
}

const configPath = (settings: Settings) => join(settings.folder, 'config.json');

/** Returns the cluster that the flags name. Throws CommandFailure. */
export function kubeTargetOf({ kube, kubeRelease, stack }: TargetFlags): KubeTarget | undefined {
  if (kube === undefined) {
    if (kubeRelease === undefined) return undefined;
    throw new CommandFailure(exitCodes.usage, '--kube-release requires --kube');
  }
  if (stack !== undefined) throw new CommandFailure(exitCodes.usage, 'give either --kube or --stack');
  return parseKubeTarget(kube, kubeRelease);
}

// Load schemas only when there is something to check: most commands need at most one of them.
const readConfig = async (settings: Settings) =>
  existsSync(configPath(settings))
    ? (await import('./config-file.ts')).readConfigFile(settings.folder)
    : undefined;

const currentOf = async (settings: Settings) => (await readConfig(settings))?.current;

async function contextOfConfig(settings: Settings, name: string): Promise<Context> {
  const entry = await entryOf(settings, name);
  return {
    name,
    key: name,
    services: endpointsOf(entry, settings.folder, entry.kube),
    kube: entry.kube,
    login: entry.login,
    localToken: undefined,
  };
}

/**
 * Returns a context for a release in a cluster, with the certificates and login of a configured context if one is
 * named.
 */
async function contextOfKube(
  kube: KubeTarget,
  named: string | undefined,
  settings: Settings,
): Promise<Context> {
  const entry = named === undefined ? undefined : await entryOf(settings, named);
  const target = `${kube.context}/${kube.namespace}`;
  return {
    name: named === undefined ? target : `${named} (${target})`,
    key: named ?? `kube-${digestOf(`${target} ${kube.release}`)}`,
    services: endpointsOf(entry ?? { services: {} }, settings.folder, kube),
    kube,
    login: entry?.login,
    localToken: undefined,
  };
}

/** Returns a configured context. Throws CommandFailure when it does not exist. */
async function entryOf(settings: Settings, name: string): Promise<ContextEntry> {
  const config = await readConfig(settings);
  const found = config && Object.hasOwn(config.contexts, name) ? config.contexts[name] : undefined;
  if (found) return found;
  const known = Object.keys(config?.contexts ?? {});
  const which = known.length > 0 ? `contexts: ${known.join(', ')}` : 'it has none';
  throw new CommandFailure(exitCodes.usage, `no context "${name}" in ${configPath(settings)} (${which})`);
}

async function contextOfStack(path: string): Promise<Context> {
  const { rpc, tls: files, staffToken, login } = (await import('./stack-file.ts')).readStackFile(path);
  for (const [service, address] of Object.entries(rpc)) requireTls(service, address);
  const tls = files
    ? { ca: readPem(files.authority), cert: readPem(files.certificate), key: readPem(files.key) }
    : {};
  return {
    name: path,
    key: `stack-${digestOf(path)}`,
    services: forEachService((service) => ({ address: rpc[service], url: rpc[service], tls })),
    kube: undefined,
    login,
    localToken: staffToken,
  };
}

const digestOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);
