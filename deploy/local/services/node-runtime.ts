import { join } from 'node:path';
import type { Program } from '../supervisor/program.ts';
import { answersReady } from './answers-ready.ts';

export interface NodeRuntime {
  readonly command: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The top folder of the repository. */
  readonly checkout: string;
}

/**
 * A larger young generation for processes that serve every submission. Costs up to 25 MiB each. The last flag takes effect.
 */
export const BUSY_FLAGS: readonly string[] = ['--max-semi-space-size=8'];

/** A small young generation, for a process with few users: saves 7 MiB. */
export const SMALL_FLAGS: readonly string[] = ['--max-semi-space-size=1'];

/**
 * Returns the Node of this process, with small heaps because ten share one machine, and with a compile cache for faster
 * starts.
 */
export function nodeRuntime(checkout: string): NodeRuntime {
  return {
    command: process.execPath,
    flags: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4', '--max-old-space-size=192'],
    env: {
      // Fewer arenas of the C allocator, which hold megabytes each.
      MALLOC_ARENA_MAX: '2',
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_COMPILE_CACHE: join(checkout, '.run', 'tools', 'compile-cache'),
    },
    checkout,
  };
}

/** Returns a script of the checkout as a process that reports when it is ready at `readyPort`. */
export const nodeProgram = (
  node: NodeRuntime,
  name: string,
  [script, ...args]: readonly [string, ...string[]],
  readyPort: number,
): Program => ({
  name,
  command: node.command,
  args: [...node.flags, join(node.checkout, script), ...args],
  env: node.env,
  cwd: node.checkout,
  ...{ stopSignal: 'SIGTERM', stopWithinMs: 5_000, channel: true, readyWithinMs: 600_000 },
  isReady: () => answersReady(readyPort),
});
