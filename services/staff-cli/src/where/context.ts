import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isBundled } from '@supplier/lib/runtime/build';
import type { Settings } from '../config.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ContextEntry, Login } from './context-schema.ts';
import { type Endpoints, endpointsOf, forEachService, readPem, refusePlain } from './endpoints.ts';
import { type KubePlace, kubePlace } from './kube/place.ts';

/** Where a command goes, and how it is protected. */
export interface Context {
  /** As the user knows it: `staging`, or the local stack's file. */
  readonly name: string;
  /** A name for files. */
  readonly key: string;
  readonly services: Endpoints;
  /** A cluster whose services kubectl forwards to. */
  readonly kube: KubePlace | undefined;
  readonly login: Login | undefined;
  /** The token that a local stack gives to anyone who can read its description. */
  readonly localToken: string | undefined;
}

/** What a command's flags say about the way. */
export interface WayFlags {
  readonly stack?: string;
  readonly context?: string;
  readonly kube?: string;
  readonly kubeRelease?: string;
}

/** Where the workspace's own local stack describes itself. */
const LOCAL_STACK = resolve(dirname(fileURLToPath(import.meta.url)), '../../../../.run/stack.json');

/**
 * The context that is named by a flag, by the environment, or as the current one of the configuration; without any,
 * the local stack of this workspace, if it runs. Throws CommandFailure.
 */
export async function resolveContext(flags: WayFlags, settings: Settings): Promise<Context> {
  const kube = kubeOf(flags);
  if (kube) return ofKube(kube, flags.context ?? settings.context, settings);
  if (flags.stack !== undefined) return ofStack(resolve(flags.stack));
  if (flags.context !== undefined) return ofConfig(settings, flags.context);
  if (settings.stackFile !== undefined) return ofStack(resolve(settings.stackFile));
  const named = settings.context ?? (await currentOf(settings));
  if (named !== undefined) return ofConfig(settings, named);
  // What is installed has no workspace: whatever lies where that would be is somebody else's.
  if (!isBundled && existsSync(LOCAL_STACK)) return ofStack(LOCAL_STACK);
  const local = isBundled ? '' : ', or start a local stack with `npm start`';
  throw new CommandFailure(
    exitCodes.usage,
    `no environment is configured: add one with \`sss contexts add NAME --url https://…\` or \`sss contexts add NAME --kube CONTEXT/NAMESPACE\`${local}`,
  );
}

const configPath = (settings: Settings) => join(settings.folder, 'config.json');

/** The place that flags name. Throws CommandFailure. */
export function kubeOf({ kube, kubeRelease, stack }: WayFlags): KubePlace | undefined {
  if (kube === undefined) {
    if (kubeRelease === undefined) return undefined;
    throw new CommandFailure(exitCodes.usage, '--kube-release is of --kube: give both');
  }
  if (stack !== undefined)
    throw new CommandFailure(exitCodes.usage, '--kube and --stack are two places: give one of them');
  return kubePlace(kube, kubeRelease);
}

// Their schemas are loaded when there is something to check: most commands need one of them only.
const readConfig = async (settings: Settings) =>
  existsSync(configPath(settings))
    ? (await import('./config-file.ts')).readConfigFile(settings.folder)
    : undefined;

const currentOf = async (settings: Settings) => (await readConfig(settings))?.current;

async function ofConfig(settings: Settings, name: string): Promise<Context> {
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

/** A release in a cluster: with the certificates and the login of a context, where somebody has named one for it. */
async function ofKube(kube: KubePlace, named: string | undefined, settings: Settings): Promise<Context> {
  const entry = named === undefined ? undefined : await entryOf(settings, named);
  const place = `${kube.context}/${kube.namespace}`;
  return {
    name: named === undefined ? place : `${named} (${place})`,
    key: named ?? `kube-${digestOf(`${place} ${kube.release}`)}`,
    services: endpointsOf(entry ?? { services: {} }, settings.folder, kube),
    kube,
    login: entry?.login,
    localToken: undefined,
  };
}

/** A context of the configuration. Throws CommandFailure where there is none. */
async function entryOf(settings: Settings, name: string): Promise<ContextEntry> {
  const config = await readConfig(settings);
  const found = config && Object.hasOwn(config.contexts, name) ? config.contexts[name] : undefined;
  if (found) return found;
  const known = Object.keys(config?.contexts ?? {});
  const which = known.length > 0 ? `known are ${known.join(', ')}` : 'none is described there';
  throw new CommandFailure(exitCodes.usage, `${configPath(settings)} has no context "${name}": ${which}`);
}

async function ofStack(path: string): Promise<Context> {
  const { rpc, tls: files, staffToken, login } = (await import('./stack-file.ts')).readStackFile(path);
  for (const [service, address] of Object.entries(rpc)) refusePlain(service, address);
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
