import { chownSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { contained, type Mount, NONROOT, prepareMounts } from '../../images/contained.ts';
import { ENTRYPOINT, imageTargets } from '../../images/targets.ts';
import type { CodeSource } from '../options.ts';
import type { StateFolder } from '../state/state-folder.ts';
import { BUSY_FLAGS, type NodeRuntime } from './node-runtime.ts';
import type { Preparation, ServiceProcess } from './process-table.ts';

/** A process to start, without the settings of the service. */
export interface CommandLine {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Where the code of services comes from: the command line of a process's entry, or of a command that prepares it. */
export type Code = (process: ServiceProcess, file: ServiceProcess['entry'] | Preparation) => CommandLine;

const IMAGE_FLAGS = ENTRYPOINT.slice(1);
const NODE_IN_IMAGE = '/usr/local/bin/node';

/** Opens what the stack was asked to run its services from, once `state` holds what their settings lead to. */
export async function openCode(from: CodeSource, node: NodeRuntime, state: StateFolder): Promise<Code> {
  if (from === 'sources') return fromSources(node);
  if (from !== 'bundles') return fromImages(node, from.images, state);
  const folder = join(state.path, 'bundles');
  // Only here: whoever runs sources need not load the bundler.
  const { bundle } = await import('../../images/bundle.ts');
  for (const target of imageTargets) await bundle(node.checkout, target, folder);
  return fromBundles(node, folder);
}

/** The sources, as they lie in the checkout. */
function fromSources(node: NodeRuntime): Code {
  return ({ service, entry, isBusy }, file) => {
    const cwd = join(node.checkout, 'services', service);
    const busy = isBusy && file === entry ? BUSY_FLAGS : [];
    return {
      command: node.command,
      args: [...node.flags, ...busy, join(cwd, 'src', `${file}.ts`)],
      cwd,
      env: node.env,
    };
  };
}

/** Bundles in folders named after their images, run with the flags of images. */
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

/**
 * The files of built images, unpacked in folders named after them, in which each process runs as its container would.
 * `state` is where settings lead: it is there for the processes at the same path, and becomes theirs to read.
 */
function fromImages(node: NodeRuntime, folder: string, state: StateFolder): Code {
  const mounts: readonly Mount[] = [
    ...[state.identity, state.keyRings, state.certificates].map((path) => ({ path })),
    { path: state.documents, writable: true },
  ];
  for (const { path } of mounts) giveToProcesses(path);
  for (const image of readdirSync(folder)) prepareMounts(join(folder, image), mounts);
  return (process, file) => {
    const entry = [NODE_IN_IMAGE, ...IMAGE_FLAGS, join('/app', fileInImage(process, file))];
    const [command, args] = contained(join(folder, imageOf(process)), mounts, entry);
    return { command, args, cwd: '/', env: environmentOf(node) };
  };
}

const imageOf = ({ service, entry }: ServiceProcess) => (entry === 'scanner' ? 'scanner' : service);
/** The entry of every image has the same name. */
const fileInImage = ({ entry }: ServiceProcess, file: string) =>
  join('src', `${file === entry ? 'main' : file}.mjs`);

/** What the stack gives its processes, without the cache that makes later starts quicker: containers have none. */
function environmentOf({ env }: NodeRuntime): Record<string, string> {
  const { NODE_COMPILE_CACHE: _, ...rest } = env;
  return rest;
}

function giveToProcesses(path: string): void {
  mkdirSync(path, { recursive: true });
  chownSync(path, NONROOT, NONROOT);
  for (const { parentPath, name } of readdirSync(path, { recursive: true, withFileTypes: true }))
    chownSync(join(parentPath, name), NONROOT, NONROOT);
}
