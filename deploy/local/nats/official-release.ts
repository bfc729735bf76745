import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runToEnd } from '../supervisor/run-to-end.ts';
import { inspect, type Source } from './source.ts';

export const RELEASE = '2.12.3';
const CONNECT_MS = 4_000;
const DOWNLOAD_MS = 60_000;
const LARGEST = 64 * 1024 * 1024;
const DAY_MS = 24 * 60 * 60 * 1000;

/** SHA-256 of the release's archives. An archive with another sum is thrown away. */
const sums: Readonly<Record<string, string>> = {
  'linux-amd64': '3f113d8f3d64f28239e12deeca9c9941104def9e2a8461fa076b0065b4e76327',
  'linux-arm64': '75ce2c04356e9581441e88feb9c270f54fbe2aedaa53caaaa7126a5978ba753d',
};

const platform = `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;
const folderName = `nats-server-v${RELEASE}-${platform}`;

/** The release that was downloaded by an earlier start. */
export function cachedRelease(tools: string): Source {
  const path = join(tools, folderName, 'nats-server');
  return {
    name: 'the official release (already downloaded)',
    find: () => inspect(path, 'the official release'),
  };
}

/** Downloads the release. A machine that could not reach it is not asked again for a day. */
export function officialRelease(tools: string): Source {
  return {
    name: 'the official release',
    find: async () => {
      const sum = sums[platform];
      const unreachable = join(tools, 'official-release-unreachable');
      if (!sum || triedToday(unreachable)) return undefined;
      try {
        await unpack(await download(sum), tools);
      } catch {
        writeFileSync(unreachable, '');
        return undefined;
      }
      return inspect(join(tools, folderName, 'nats-server'), 'the official release');
    },
  };
}

function triedToday(file: string): boolean {
  const tried = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return Date.now() - tried < DAY_MS;
}

async function download(sum: string): Promise<Buffer> {
  const url = `https://github.com/nats-io/nats-server/releases/download/v${RELEASE}/${folderName}.tar.gz`;
  const connecting = new AbortController();
  const impatience = setTimeout(() => connecting.abort(), CONNECT_MS);
  const signal = AbortSignal.any([connecting.signal, AbortSignal.timeout(DOWNLOAD_MS)]);
  const response = await fetch(url, { signal });
  clearTimeout(impatience);
  if (!response.ok) throw new Error(`answered ${response.status}`);
  if (Number(response.headers.get('content-length') ?? 0) > LARGEST) throw new Error('too large');
  const archive = Buffer.from(await response.arrayBuffer());
  if (createHash('sha256').update(archive).digest('hex') !== sum) throw new Error('has another checksum');
  return archive;
}

async function unpack(archive: Buffer, tools: string): Promise<void> {
  mkdirSync(tools, { recursive: true });
  const staging = mkdtempSync(join(tools, 'unpacking-'));
  try {
    const file = join(staging, 'archive.tar.gz');
    writeFileSync(file, archive);
    const { code } = await runToEnd('tar', ['-xzf', file, '-C', staging], {
      cwd: staging,
      env: process.env,
      withinMs: 60_000,
    });
    if (code !== 0) throw new Error('cannot be unpacked');
    rmSync(join(tools, folderName), { recursive: true, force: true });
    renameSync(join(staging, folderName), join(tools, folderName));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}
