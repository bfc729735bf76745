import { join } from 'node:path';
import { ENTRYPOINT, imageTargets } from '../../images/targets.ts';
import type { CodeSource } from '../options.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { BUSY_FLAGS, type NodeRuntime, SMALL_FLAGS } from './node-runtime.ts';
import type { Preparation, ServiceProcess } from './process-table.ts';

export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The command line of a process, or of a command that prepares it. */
export type Code = (process: ServiceProcess, file: ServiceProcess['entry'] | Preparation) => CommandLine;

const WATCH_FLAGS = ['--watch', '--watch-preserve-output'];
const IMAGE_FLAGS = ENTRYPOINT.slice(1);

/** Opens what the stack was asked to run its services from. Bundles are made in `state`, unless they were made before. */
export async function openCode(from: CodeSource, node: NodeRuntime, state: StateFolder): Promise<Code> {
  if (typeof from === 'object') return started(node, inBundles(from.bundles));
  if (from !== 'bundles')
    return started(node, inSources(node.checkout), from === 'watched' ? WATCH_FLAGS : []);
  const folder = join(state.path, 'bundles');
  // The bundler is needed here only.
  const { bundle } = await import('../../images/bundle.ts');
  for (const target of imageTargets) await bundle(node.checkout, target, folder);
  return startedAsImages(node, inBundles(folder));
}

/** Where a file of a process lies, and the folder of what it reads beside it. */
type Place = (process: ServiceProcess, file: string) => { readonly cwd: string; readonly path: string };

/** The sources, as they lie in the checkout. */
function inSources(checkout: string): Place {
  return ({ service }, file) => {
    const cwd = join(checkout, 'services', service);
    return { cwd, path: join(cwd, 'src', `${file}.ts`) };
  };
}

/** Bundles in folders named after their images, in which the entry of each has the same name. */
function inBundles(folder: string): Place {
  return ({ service, entry }, file) => {
    const cwd = join(folder, entry === 'scanner' ? 'scanner' : service);
    return { cwd, path: join(cwd, 'src', `${file === entry ? 'main' : file}.mjs`) };
  };
}

/** Processes with small heaps, because all of them share one machine. */
function started(node: NodeRuntime, place: Place, entryFlags: readonly string[] = []): Code {
  return (process, file) => {
    const { entry, isBusy, isSmall = false } = process;
    const { cwd, path } = place(process, file);
    const young = isBusy ? BUSY_FLAGS : isSmall ? SMALL_FLAGS : [];
    const more = file === entry ? [...young, ...entryFlags] : [];
    return { command: node.command, args: [...node.flags, ...more, path], cwd, env: node.env };
  };
}

/** Processes with the flags of images, without the cache that makes later starts quicker: containers have none. */
function startedAsImages({ command, env }: NodeRuntime, place: Place): Code {
  const { NODE_COMPILE_CACHE: _, ...rest } = env;
  return (process, file) => {
    const { cwd, path } = place(process, file);
    return { command, args: [...IMAGE_FLAGS, path], cwd, env: rest };
  };
}
