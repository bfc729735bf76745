import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLockFile } from './lock-file.mjs';

/** Keeps ports from other stacks until processes listen on them. */
export interface PortClaims {
  /** False if another stack has claimed the port. */
  claim(port: number): boolean;
  release(): void;
}

/** Claims ports by lock files. */
export function portClaims(
  folder = join(tmpdir(), `local-stack-ports-${process.getuid?.() ?? 0}`),
): PortClaims {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const releases: (() => void)[] = [];
  return {
    claim(port) {
      const attempt = takeLockFile(join(folder, String(port)));
      if (!('release' in attempt)) return false;
      releases.push(attempt.release);
      return true;
    },
    release() {
      for (const release of releases.splice(0)) release();
    },
  };
}
