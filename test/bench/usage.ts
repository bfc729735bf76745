import { readdirSync, readFileSync } from 'node:fs';
import { residentBytesOf } from '../../deploy/local/memory.ts';

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

/** What was used between two readings, for each of `count`. */
export const cpuForEach = (before: PerProcess, after: PerProcess, count: number): PerProcess =>
  mapValues(after, (used, name) => (used - (before[name] ?? 0)) / count);

/** MiB that processes and their descendants hold together; pages that several share count once. */
export const memoryMibOf = (pids: PerProcess): number =>
  residentBytesOf(Object.values(pids)).reduce((sum, bytes) => sum + bytes, 0) / MIB;

export const sumOf = (values: PerProcess): number =>
  Object.values(values).reduce((sum, value) => sum + value, 0);

const mapValues = (values: PerProcess, change: (value: number, name: string) => number): PerProcess =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));

/** Fields 14 to 17 of stat are CPU time in ticks: its own and that of children that have ended, each user and system. */
function readStats(): Map<number, { pid: number; parent: number; ticks: number }> {
  const names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
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
        // It has ended meanwhile.
        return [];
      }
    }),
  );
}
