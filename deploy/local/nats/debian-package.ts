import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../supervisor/run-to-end.ts';
import { findOnPath, inspect, type Source } from './source.ts';

const MINUTE_MS = 60_000;
const from = "Debian's package, unpacked without installing it";
const folder = (tools: string) => join(tools, 'debian');

/** The package that an earlier start unpacked. */
export function unpackedPackage(tools: string): Source {
  return { name: "Debian's package (already unpacked)", find: () => inspectIn(folder(tools)) };
}

/** Downloads the package from the machine's own package source and unpacks it. Needs no root. */
export function debianPackage(tools: string): Source {
  return {
    name: "Debian's package",
    find: async () => {
      if (!findOnPath('apt-get') || !findOnPath('dpkg')) return undefined;
      mkdirSync(tools, { recursive: true });
      const staging = mkdtempSync(join(tools, 'unpacking-'));
      try {
        const archive = await downloadTo(staging);
        if (!archive) return undefined;
        const unpacked = join(staging, 'unpacked');
        if (!(await succeeds('dpkg', ['-x', join(staging, archive), unpacked], staging))) return undefined;
        rmSync(folder(tools), { recursive: true, force: true });
        renameSync(unpacked, folder(tools));
        return await inspectIn(folder(tools));
      } finally {
        rmSync(staging, { recursive: true, force: true });
      }
    },
  };
}

/** The package lists of a fresh image are empty; only root may fetch them. */
async function downloadTo(staging: string): Promise<string | undefined> {
  const download = () => succeeds('apt-get', ['download', 'nats-server'], staging);
  const isRoot = process.getuid?.() === 0;
  const done =
    (await download()) || (isRoot && (await succeeds('apt-get', ['update'], staging)) && (await download()));
  return done ? readdirSync(staging).find((name) => name.endsWith('.deb')) : undefined;
}

async function inspectIn(unpacked: string) {
  return (
    (await inspect(join(unpacked, 'usr', 'sbin', 'nats-server'), from)) ??
    (await inspect(join(unpacked, 'usr', 'bin', 'nats-server'), from))
  );
}

async function succeeds(command: string, args: readonly string[], cwd: string): Promise<boolean> {
  const { code } = await runToEnd(command, args, { cwd, env: process.env, withinMs: 3 * MINUTE_MS });
  return code === 0;
}
