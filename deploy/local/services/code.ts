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

/** Opens the sources, or bundles in `state`. */
export async function openCode(from: CodeSource, node: NodeRuntime, state: StateFolder): Promise<Code> {
  if (from !== 'bundles') return fromSources(node, from === 'watched' ? WATCH_FLAGS : []);
  const folder = join(state.path, 'bundles');
  // The bundler is needed here only.
  const { bundle } = await import('../../images/bundle.ts');
  for (const target of imageTargets) await bundle(node.checkout, target, folder);
  return fromBundles(node, folder);
}

function fromSources(node: NodeRuntime, entryFlags: readonly string[]): Code {
  return ({ service, entry, isBusy, isSmall = false }, file) => {
    const cwd = join(node.checkout, 'services', service);
    const young = isBusy ? BUSY_FLAGS : isSmall ? SMALL_FLAGS : [];
    const more = file === entry ? [...young, ...entryFlags] : [];
    return {
      command: node.command,
      args: [...node.flags, ...more, join(cwd, 'src', `${file}.ts`)],
      cwd,
      env: node.env,
    };
  };
}

function fromBundles(node: NodeRuntime, folder: string): Code {
  return (process, file) => {
    const cwd = join(folder, imageOf(process));
    return {
      command: node.command,
      args: [...IMAGE_FLAGS, join(cwd, fileInImage(process, file))],
      cwd,
      env: environmentOf(node),
    };
  };
}

const imageOf = ({ service, entry }: ServiceProcess) => (entry === 'scanner' ? 'scanner' : service);
/** The entry of every image has the same name. */
const fileInImage = ({ entry }: ServiceProcess, file: string) =>
  join('src', `${file === entry ? 'main' : file}.mjs`);

/** Without the compile cache, because containers have none. */
function environmentOf({ env }: NodeRuntime): Record<string, string> {
  const { NODE_COMPILE_CACHE: _, ...rest } = env;
  return rest;
}
