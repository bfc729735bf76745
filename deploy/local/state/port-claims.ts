import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeLockFile } from './lock-file.mjs';

/** Ports that this stack means to use, kept from other stacks of the same user until its processes listen on them. */
export interface PortClaims {
  /** False when another running stack has claimed the port. */
  claim(port: number): boolean;
  release(): void;
}

/** Between looking whether a port is free and listening on it lie seconds in which two stacks could choose the same. */
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
