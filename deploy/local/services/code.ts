import { join } from 'node:path';
import { ENTRYPOINT, imageTargets, NO_DEBUGGER } from '../../images/targets.ts';
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

/** Returns the command line of a process, or of a command that prepares it. */
export type Code = (process: ServiceProcess, file: ServiceProcess['entry'] | Preparation) => CommandLine;

/** Vite needs more memory than a service. */
const WATCH_FLAGS = ['--watch', '--watch-preserve-output', '--max-old-space-size=512'];
/** What is started instead of `main` while sources are watched. */
const DEVELOPED: Readonly<Record<string, string>> = { console: 'develop' };
const IMAGE_FLAGS = ENTRYPOINT.slice(1);

/** Opens the requested source of code. Bundles are made in `state`, unless they exist already. */
export async function openCode(from: CodeSource, node: NodeRuntime, state: StateFolder): Promise<Code> {
  if (typeof from === 'object') return started(node, inBundles(from.bundles));
  if (from !== 'bundles')
    return from === 'watched'
      ? started(node, inSources(node.checkout, DEVELOPED), WATCH_FLAGS)
      : started(node, inSources(node.checkout));
  const folder = join(state.path, 'bundles');
  // Only this case needs the bundler.
  const { bundle } = await import('../../images/bundle.ts');
  for (const target of imageTargets) await bundle(node.checkout, target, folder);
  return startedAsImages(node, inBundles(folder));
}

/** Returns the location of a process's file, and the folder of the files it reads. */
type Place = (process: ServiceProcess, file: string) => { readonly cwd: string; readonly path: string };

/** Locates sources in the checkout. `mains` are the files that are `main` for some services. */
function inSources(checkout: string, mains: Readonly<Record<string, string>> = {}): Place {
  return ({ service }, file) => {
    const cwd = join(checkout, 'services', service);
    const name = file === 'main' ? (mains[service] ?? file) : file;
    return { cwd, path: join(cwd, 'src', `${name}.ts`) };
  };
}

/** Locates bundles in folders named after their images, in which every entry has the same name. */
function inBundles(folder: string): Place {
  return ({ service, entry }, file) => {
    const cwd = join(folder, entry === 'scanner' ? 'scanner' : service);
    return { cwd, path: join(cwd, 'src', `${file === entry ? 'main' : file}.mjs`) };
  };
}

/** Starts processes with small heaps, because all of them share one machine. */
function started(node: NodeRuntime, place: Place, entryFlags: readonly string[] = []): Code {
  return (process, file) => {
    const { entry, isBusy, isSmall = false } = process;
    const { cwd, path } = place(process, file);
    const young = isBusy ? BUSY_FLAGS : isSmall ? SMALL_FLAGS : [];
    // Hostile documents are checked by its children.
    const closed = entry === 'scanner' ? [NO_DEBUGGER] : [];
    const more = file === entry ? [...young, ...closed, ...entryFlags] : [];
    return { command: node.command, args: [...node.flags, ...more, path], cwd, env: node.env };
  };
}

/** Starts processes with the flags of images, and without the compile cache, which containers don't have. */
function startedAsImages({ command, env }: NodeRuntime, place: Place): Code {
  const { NODE_COMPILE_CACHE: _, ...rest } = env;
  return (process, file) => {
    const { cwd, path } = place(process, file);
    return { command, args: [...IMAGE_FLAGS, path], cwd, env: rest };
  };
}
