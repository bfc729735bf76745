import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { dirname, join } from 'node:path';

const LARGEST = 16 << 20;
const LOOK_EVERY_MS = 10_000;

/** What containers have written; kept when their pods are gone. */
export interface Logs {
  /** The file for a container, in a folder that exists. */
  fileOf(namespace: string, pod: string, container: string): string;
  /** Empty where there is none. */
  read(namespace: string, pod: string, container: string): string;
}

/** Empties files that have become larger than 16 MiB, until `signal` is aborted; containers append to what is left. */
export function startLogs(folder: string, signal: AbortSignal): Logs {
  mkdirSync(folder, { recursive: true });
  const pathOf = (...names: readonly string[]) => join(folder, ...names.slice(0, -1), `${names.at(-1)}.log`);
  const timer = setInterval(() => {
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      const file = join(entry.parentPath, entry.name);
      if (entry.isFile() && statSync(file).size > LARGEST) truncateSync(file);
    }
  }, LOOK_EVERY_MS);
  signal.addEventListener('abort', () => clearInterval(timer), { once: true });
  return {
    fileOf(namespace, pod, container) {
      const file = pathOf(namespace, pod, container);
      mkdirSync(dirname(file), { recursive: true });
      return file;
    },
    read(namespace, pod, container) {
      const file = pathOf(namespace, pod, container);
      return existsSync(file) ? readFileSync(file, 'utf8') : '';
    },
  };
}
