import { readdirSync, readFileSync } from 'node:fs';
import { residentBytesOf } from '../../memory.ts';

const TICKS_PER_SECOND = 100;
const MIB = 1024 * 1024;
const MS = 1_000;

/** A figure for each process, by its name. */
export type PerProcess = Readonly<Record<string, number>>;

/** Milliseconds of CPU time that processes and their descendants have used, ended children included; NaN if unknown. */
export function cpuMsOf(pids: PerProcess): PerProcess {
  const stats = readStats();
  const children = Map.groupBy(stats.values(), ({ parent }) => parent);
  const withDescendants = (pid: number): number =>
    (children.get(pid) ?? []).reduce(
      (sum, child) => sum + withDescendants(child.pid),
      stats.get(pid)?.ticks ?? Number.NaN,
    );
  return mapValues(pids, (pid) => (withDescendants(pid) * MS) / TICKS_PER_SECOND);
}

/** MiB that processes and their descendants hold; pages that several share count once, in parts. */
export function memoryMibOf(pids: PerProcess): PerProcess {
  const names = Object.keys(pids);
  const bytes = residentBytesOf(Object.values(pids));
  return Object.fromEntries(names.map((name, index) => [name, (bytes[index] ?? Number.NaN) / MIB]));
}

export function mapValues(
  values: PerProcess,
  change: (value: number, name: string) => number,
): Record<string, number> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

export const sumOf = (values: PerProcess): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ticks: number;
}

/** Fields 14 to 17 of stat are CPU time in ticks: its own and that of children that have ended, each user and system. */
function readStats(): Map<number, Stat> {
  const stats = new Map<number, Stat>();
  for (const name of processNames()) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const ticks = fields.slice(11, 15).reduce((sum, value) => sum + value, 0);
      stats.set(Number(name), { pid: Number(name), parent: fields[1] ?? 0, ticks });
    } catch {
      // It has ended meanwhile.
    }
  }
  return stats;
}

function processNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
