import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const KIB = 1024;

interface ProcessSize {
  readonly pid: number;
  readonly parent: number;
  bytes(): number;
}

export const residentBytes = (pid: number): number => residentBytesOf([pid])[0] ?? 0;

/**
 * Returns the memory of each process with its descendants, in bytes. On Linux, shared pages count once (PSS);
 * elsewhere, resident sizes are added.
 */
export function residentBytesOf(pids: readonly number[]): number[] {
  const all = existsSync('/proc/self/status') ? linuxProcesses() : listedProcesses();
  const children = Map.groupBy(all, ({ parent }) => parent);
  const withDescendants = (member: ProcessSize): number =>
    (children.get(member.pid) ?? []).reduce((sum, child) => sum + withDescendants(child), member.bytes());
  return pids.map((pid) => {
    const top = all.find((member) => member.pid === pid);
    return top ? withDescendants(top) : 0;
  });
}

function linuxProcesses(): ProcessSize[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const status = readOrEmpty(`/proc/${name}/status`);
      const parent = field(status, 'PPid');
      return parent === undefined
        ? []
        : [{ pid: Number(name), parent, bytes: () => linuxBytes(name, status) }];
    });
}

/** Without permission to read PSS, shared memory is not counted. */
function linuxBytes(pid: string, status: string): number {
  const exact = field(readOrEmpty(`/proc/${pid}/smaps_rollup`), 'Pss');
  return (exact ?? (field(status, 'RssAnon') ?? 0) + (field(status, 'RssFile') ?? 0)) * KIB;
}

function field(text: string, name: string): number | undefined {
  const found = new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1];
  return found === undefined ? undefined : Number(found);
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function listedProcesses(): ProcessSize[] {
  const table = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' });
  return table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
    .map(([pid = 0, parent = 0, rss = 0]) => ({ pid, parent, bytes: () => rss * KIB }));
}
