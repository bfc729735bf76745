import { mkdirSync } from 'node:fs';
import { type NodeRuntime, nodeProgram } from '../services/node-runtime.ts';
import type { Program } from '../supervisor/program.ts';

/** Returns the trace collector, which stores traces in `folder`, or discards them without one. */
export function collectorProgram(node: NodeRuntime, port: number, folder = ''): Program {
  if (folder !== '') mkdirSync(folder, { recursive: true });
  return nodeProgram(node, 'collector', ['deploy/local/collector/main.ts', String(port), folder], port);
}
