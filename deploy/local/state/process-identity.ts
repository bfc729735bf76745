import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A process that can be told from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** Identifies a running process; undefined when there is none with this number. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startedAt = existsSync('/proc/self/stat') ? startTicks(pid) : startDate(pid);
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** True while exactly this process, and not another that got its number, is running. */
export function isRunning(process: ProcessIdentity): boolean {
  return identify(process.pid)?.startedAt === process.startedAt;
}

/** Accepts what was read from a file as an identity, or answers undefined. */
export function asIdentity(value: unknown): ProcessIdentity | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('pid' in value) || !('startedAt' in value)) return undefined;
  const { pid, startedAt } = value;
  return typeof pid === 'number' && pid > 1 && typeof startedAt === 'string' ? { pid, startedAt } : undefined;
}

/** Linux: ticks since boot, the 22nd field; the second one, the name, may hold spaces and brackets. */
function startTicks(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ended = fields[0] === 'Z' || fields[0] === 'X';
    return ended ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function startDate(pid: number): string | undefined {
  try {
    const date = execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
    return date === '' ? undefined : date;
  } catch {
    return undefined;
  }
}
