import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Settings } from '../config.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { ServiceName } from '../services.ts';
import type { Login } from './config-file.ts';

/** Where a command goes, and how it is protected. */
export interface Context {
  /** As the user knows it: `staging`, or the local stack's file. */
  readonly name: string;
  /** A name for files. */
  readonly key: string;
  readonly services: Readonly<Record<ServiceName, string>>;
  /** PEM of whom is believed and what is presented. */
  readonly tls: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer };
  readonly login: Login | undefined;
  /** The token that a local stack hands to whoever can read its description. */
  readonly localToken: string | undefined;
}

/** What a command's flags say about the way. */
export interface WayFlags {
  readonly stack?: string;
  readonly context?: string;
}

/** Where the workspace's own local stack describes itself. */
const LOCAL_STACK = resolve(dirname(fileURLToPath(import.meta.url)), '../../../../.run/stack.json');
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/**
 * The context that is named by a flag, by the environment, or as the current one of the configuration; without any,
 * the local stack of this workspace, if it runs. Throws CommandFailure.
 */
export async function resolveContext(flags: WayFlags, settings: Settings): Promise<Context> {
  if (flags.stack !== undefined) return ofStack(resolve(flags.stack));
  if (flags.context !== undefined) return ofConfig(settings, flags.context);
  if (settings.stackFile !== undefined) return ofStack(resolve(settings.stackFile));
  const named = settings.context ?? (await currentOf(settings));
  if (named !== undefined) return ofConfig(settings, named);
  if (existsSync(LOCAL_STACK)) return ofStack(LOCAL_STACK);
  throw new CommandFailure(
    exitCodes.usage,
    `no environment is named and no local stack runs: give --context, describe one in ${configPath(settings)}, or start one with \`npm start\``,
  );
}

const configPath = (settings: Settings) => join(settings.folder, 'config.json');

// Their schemas are loaded when there is something to check: most commands need one of them only.
const readConfig = async (settings: Settings) =>
  existsSync(configPath(settings))
    ? (await import('./config-file.ts')).readConfigFile(settings.folder)
    : undefined;

const currentOf = async (settings: Settings) => (await readConfig(settings))?.current;

async function ofConfig(settings: Settings, name: string): Promise<Context> {
  const config = await readConfig(settings);
  const found = config && Object.hasOwn(config.contexts, name) ? config.contexts[name] : undefined;
  if (!found) {
    const known = Object.keys(config?.contexts ?? {});
    const which = known.length > 0 ? `known are ${known.join(', ')}` : 'none is described there';
    throw new CommandFailure(exitCodes.usage, `${configPath(settings)} has no context "${name}": ${which}`);
  }
  for (const [service, address] of Object.entries(found.services)) refusePlain(service, address);
  const file = (path: string) => readPem(resolve(settings.folder, path));
  return {
    name,
    key: name,
    services: found.services,
    tls: {
      ...(found.authority !== undefined && { ca: file(found.authority) }),
      ...(found.certificate !== undefined && { cert: file(found.certificate) }),
      ...(found.key !== undefined && { key: file(found.key) }),
    },
    login: found.login,
    localToken: undefined,
  };
}

async function ofStack(path: string): Promise<Context> {
  const { rpc, tls, staffToken, login } = (await import('./stack-file.ts')).readStackFile(path);
  for (const [service, address] of Object.entries(rpc)) refusePlain(service, address);
  return {
    name: path,
    key: `stack-${createHash('sha256').update(path).digest('hex').slice(0, 16)}`,
    services: rpc,
    tls: tls ? { ca: readPem(tls.authority), cert: readPem(tls.certificate), key: readPem(tls.key) } : {},
    login,
    localToken: staffToken,
  };
}

/** A token that travels in the clear is everybody's. */
function refusePlain(service: string, address: string): void {
  const { protocol, hostname } = new URL(address);
  if (protocol === 'https:' || LOOPBACK.test(hostname)) return;
  throw new CommandFailure(
    exitCodes.usage,
    `${address} of the ${service} service has no TLS: tokens are sent in the clear to this machine only`,
  );
}

function readPem(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `${path} cannot be read: ${(error as Error).message}`);
  }
}
