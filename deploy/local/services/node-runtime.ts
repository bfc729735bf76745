import { join } from 'node:path';

/** How Node processes of ours are run. */
export interface NodeRuntime {
  readonly command: string;
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** The top folder of the repository. */
  readonly checkout: string;
}

/** Who a process works for: every lead passes through it, or staff alone, or neither. */
export type Load = 'leads' | 'staff' | 'usual';

/**
 * Flags for the young generation, behind the others; the last one counts. Where it is larger, what one request leaves behind
 * dies before it is copied, which costs up to 25 MiB. What only passes on what a few people look at does without 7 of them.
 */
export const YOUNG_FLAGS: Readonly<Record<Load, readonly string[]>> = {
  leads: ['--max-semi-space-size=8'],
  staff: ['--max-semi-space-size=1'],
  usual: [],
};

/**
 * The Node that this process runs on, with small heaps: ten of these share one machine. The compile cache makes
 * every start after the first one quicker; it lies with the tools, because it depends on sources and not on state.
 */
export function nodeRuntime(checkout: string): NodeRuntime {
  return {
    command: process.execPath,
    flags: ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4', '--max-old-space-size=192'],
    env: {
      // Fewer arenas of the C allocator: threads that allocate now and then would each keep megabytes.
      MALLOC_ARENA_MAX: '2',
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_COMPILE_CACHE: join(checkout, '.run', 'tools', 'compile-cache'),
    },
    checkout,
  };
}
