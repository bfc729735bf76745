import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLockFile } from './lock-file.mjs';

export type PortClaims = ReturnType<typeof portClaims>;

/** Keeps ports from other stacks, by lock files, until processes listen on them. */
export function portClaims(folder = join(tmpdir(), `local-stack-ports-${process.getuid?.() ?? 0}`)) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const releases: (() => void)[] = [];
  return {
    /** False if another stack has claimed the port. */
    claim(port: number): boolean {
      const attempt = takeLockFile(join(folder, String(port)));
      if (!('release' in attempt)) return false;
      releases.push(attempt.release);
      return true;
    },
    release(): void {
      for (const release of releases.splice(0)) release();
    },
  };
}
