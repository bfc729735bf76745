import { readdirSync, readlinkSync } from 'node:fs';

/** Returns the network of each process, as far as it can be read. */
export const networksOfProcesses = (): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [readlinkSync(`/proc/${pid}/ns/net`)];
      } catch {
        return [];
      }
    });
