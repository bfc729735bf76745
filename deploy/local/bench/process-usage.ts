import { readdirSync, readFileSync } from 'node:fs';
import { request } from 'undici';

/** Ticks in which Linux counts CPU time for everybody. */
const TICKS_PER_SECOND = 100;
const MIB = 1024 * 1024;
const ANSWER_MS = 2_000;

/** MiB that a process holds in memory; NaN where the system does not tell. */
export function residentMib(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kib) / 1024;
  } catch {
    return Number.NaN;
  }
}

/** Bytes that a process has read so far, from files and connections alike; NaN where the system does not tell. */
export function bytesRead(pid: number): number {
  try {
    return Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
  } catch {
    return Number.NaN;
  }
}

/** MiB of JavaScript heap in use, as the process's metrics say; NaN where they do not. */
export async function heapMib(metricsUrl: string): Promise<number> {
  try {
    const { body } = await request(metricsUrl, { signal: AbortSignal.timeout(ANSWER_MS) });
    return Number(/^nodejs_heap_size_used_bytes(?:\{[^}]*\})? (\S+)/m.exec(await body.text())?.[1]) / MIB;
  } catch {
    return Number.NaN;
  }
}

/**
 * Seconds of CPU time that a process and its children have used, those that have ended included; NaN where the system
 * does not tell. Unlike rates, it hardly depends on what else the machine does.
 */
export function cpuSeconds(pid: number): number {
  try {
    const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    const fields = all.map(statOf).filter((of) => of.pid === pid || of.parent === pid);
    return fields.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
  } catch {
    return Number.NaN;
  }
}

/** Fields 14 to 17 are CPU time in ticks: its own and that of children that have ended, each user and system. */
function statOf(name: string): { pid: number; parent: number; ticks: number } {
  try {
    const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
    return { pid: Number(name), parent: fields[1] ?? 0, ticks };
  } catch {
    // It has ended meanwhile.
    return { pid: Number(name), parent: 0, ticks: 0 };
  }
}
