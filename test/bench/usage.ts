import { readdirSync, readFileSync } from 'node:fs';
import { residentBytesOf } from '../../deploy/local/memory.ts';

const TICKS_PER_SECOND = 100;
const MIB = 1024 * 1024;
const MS = 1_000;

/** A figure for each process, by name. */
export type PerProcess = Readonly<Record<string, number>>;

/**
 * Returns the milliseconds of CPU time that processes and their descendants have used, including ended children; NaN if
 * unknown. Excludes the processes in `apart`.
 */
export function cpuMsOf(pids: PerProcess, apart: Apart = NOBODY): PerProcess {
  const stats = readStats(apart);
  const ticks = (pid: number) => stats.get(pid)?.ticks ?? Number.NaN;
  return mapValues(pids, (pid) => (sumWithDescendants(stats, pid, ticks) * MS) / TICKS_PER_SECOND);
}

/** Processes that are not counted with their ancestors. */
type Apart = ReadonlySet<number>;
const NOBODY: Apart = new Set();

/** Returns the milliseconds of CPU time that the processes themselves have used; NaN if unknown. */
export function ownCpuMsOf(pids: PerProcess): PerProcess {
  const stats = readStats();
  return mapValues(pids, (pid) => ((stats.get(pid)?.ticks ?? Number.NaN) * MS) / TICKS_PER_SECOND);
}

/**
 * Returns how often processes and their living descendants have read or written, and their context switches. Excludes
 * the processes in `apart`.
 */
export function switchesOf(
  pids: PerProcess,
  apart: Apart,
): { readonly calls: number; readonly switches: number } {
  const stats = readStats(apart);
  const of = (count: (pid: number) => number) =>
    sumOf(mapValues(pids, (pid) => sumWithDescendants(stats, pid, count)));
  return {
    calls: of((pid) => sumOfFields(`/proc/${pid}/io`, /^sysc[rw]: (\d+)$/gm)),
    switches: of((pid) =>
      entriesOf(`/proc/${pid}/task`).reduce(
        (sum, thread) =>
          sum + sumOfFields(`/proc/${pid}/task/${thread}/status`, /^\w*voluntary_ctxt_switches:\s+(\d+)$/gm),
        0,
      ),
    ),
  };
}

function sumWithDescendants(stats: Stats, pid: number, count: (pid: number) => number): number {
  return [...stats.values()]
    .filter(({ parent }) => parent === pid)
    .reduce((sum, child) => sum + sumWithDescendants(stats, child.pid, count), count(pid));
}

function sumOfFields(path: string, field: RegExp): number {
  try {
    return [...readFileSync(path, 'utf8').matchAll(field)].reduce((sum, [, value]) => sum + Number(value), 0);
  } catch {
    // The process has ended meanwhile.
    return 0;
  }
}

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** Returns the use between two readings, divided by `count`. */
export const cpuForEach = (before: PerProcess, after: PerProcess, count: number): PerProcess =>
  mapValues(after, (used, name) => (used - (before[name] ?? 0)) / count);

/** Returns the MiB that processes and their descendants hold together; shared pages count once. */
export const memoryMibOf = (pids: PerProcess): number =>
  residentBytesOf(Object.values(pids)).reduce((sum, bytes) => sum + bytes, 0) / MIB;

export const sumOf = (values: PerProcess): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

const mapValues = (values: PerProcess, change: (value: number, name: string) => number): PerProcess =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

type Stats = ReadonlyMap<number, { readonly pid: number; readonly parent: number; readonly ticks: number }>;

/**
 * Fields 14 to 17 of stat are CPU time in ticks: the process's own and that of ended children, each user and system.
 */
function readStats(apart = NOBODY): Stats {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && !apart.has(Number(name)));
  return new Map(
    names.flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        const fields = text
          .slice(text.lastIndexOf(')') + 2)
          .split(' ')
          .map(Number);
        const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
        return [[Number(name), { pid: Number(name), parent: fields[1] ?? 0, ticks }] as const];
      } catch {
        // The process has ended meanwhile.
        return [];
      }
    }),
  );
}
