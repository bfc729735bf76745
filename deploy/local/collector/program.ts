import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { answersReady } from '../services/answers-ready.ts';
import type { NodeRuntime } from '../services/node-runtime.ts';
import type { Program } from '../supervisor/program.ts';

/** The local collector of traces as a process of its own, which keeps them in `folder`, or nowhere. */
export function collectorProgram(node: NodeRuntime, port: number, folder = ''): Program {
  if (folder !== '') mkdirSync(folder, { recursive: true });
  return {
    name: 'collector',
    command: node.command,
    args: [...node.flags, join(node.checkout, 'deploy/local/collector/main.ts'), String(port), folder],
    env: node.env,
    cwd: node.checkout,
    stopSignal: 'SIGTERM',
    stopWithinMs: 5_000,
    channel: true,
    isReady: () => answersReady(port),
    readyWithinMs: 600_000,
  };
}
