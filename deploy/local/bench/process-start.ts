import { setTimeout as pause } from 'node:timers/promises';
import { residentBytesOf } from '../memory.ts';
import type { Benchmark } from './benchmark.ts';
import { residentMib } from './process-usage.ts';
import { type BenchProcess, wholeStack } from './workbench.ts';

const REST_SECONDS = 30;
const TARGET_READY_MS = 2_000;
const TARGET_MIB = 90;
const MIB = 1024 * 1024;

/**
 * How soon each process is ready, one after the other on a machine that does nothing else, and what it holds in memory when
 * it has rested: from its bundle, with the flags of its image and no cache of compiled code, as in a container. The pages of
 * Node's own file are the same ones for all processes, as for the pods of a node; what is resident has all of them.
 */
export const processStart: Benchmark = {
  summary: 'time from start to ready, and memory at rest, of every process from its bundle',
  from: 'bundles',
  async run(bench, { seconds = REST_SECONDS }) {
    const processes: readonly BenchProcess[] = bench.canScan ? [...wholeStack, 'scanner'] : wholeStack;
    const ready: Record<string, number> = {};
    for (const process of processes) {
      bench.progress(`${process} …`);
      Object.assign(ready, await bench.start([process]));
    }
    bench.progress(`at rest for ${seconds} s …`);
    await pause(seconds * 1_000);
    const pids = processes.map((process) => bench.pidOf(process));
    const shares = residentBytesOf(pids);
    return {
      conditions: { seconds },
      measures: processes.flatMap((process, index) => [
        {
          what: `${process}: ready`,
          value: ready[process] ?? Number.NaN,
          unit: 'ms',
          target: { atMost: TARGET_READY_MS },
        },
        {
          what: `${process}: memory, its share of common pages`,
          value: (shares[index] ?? Number.NaN) / MIB,
          unit: 'MiB',
          target: { atMost: TARGET_MIB },
        },
        { what: `${process}: memory, resident`, value: residentMib(pids[index] ?? 0), unit: 'MiB' },
      ]),
    };
  },
};
