import { join } from 'node:path';
import { answersReady } from '../services/answers-ready.ts';
import type { NodeRuntime } from '../services/node-runtime.ts';
import type { Program } from '../supervisor/program.ts';

/** Where staff log in to a local stack, as a process of its own; `identity` is the folder of the stack's issuer. */
export function loginProgram(node: NodeRuntime, port: number, identity: string): Program {
  return {
    name: 'login',
    command: node.command,
    args: [...node.flags, join(node.checkout, 'deploy/local/login/main.ts'), String(port), identity],
    env: node.env,
    cwd: node.checkout,
    stopSignal: 'SIGTERM',
    stopWithinMs: 5_000,
    channel: true,
    isReady: () => answersReady(port),
    readyWithinMs: 30_000,
  };
}

export const loginUrl = (port: number) => `http://127.0.0.1:${port}`;
export const LOGIN_CLIENT = 'sss';
