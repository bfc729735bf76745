import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Engine } from './engine.ts';

const DEBIAN = 'bookworm';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

export interface BaseImages {
  readonly build: string;
  readonly base: string;
}

const DEBOOTSTRAP_MS = 600_000;

/** Outside the repository, so that all checkouts on this machine share it. */
export const imageCache = () =>
  join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions', 'images');

/**
 * Makes the two base images of the Dockerfile where no registry is reachable: Debian with this machine's npm to build in, and
 * Node with its libraries to run on. Takes about a minute unless they are in `cache`, and needs root.
 */
export function makeBaseImages(engine: Engine, cache: string, node: string): BaseImages {
  const made = createHash('sha256')
    .update([DEBIAN, process.arch, process.version, readFileSync(CERTIFICATES, 'utf8')].join())
    .update(readFileSync(import.meta.filename))
    .digest('hex')
    .slice(0, 12);
  const images = { build: `localhost/supplier-build:${made}`, base: `localhost/supplier-base:${made}` };
  if (!engine.has(images.base))
    withFolder(cache, (slim) => {
      copyNode(node, slim);
      engine.importFolder(slim, images.base);
    });
  if (!engine.has(images.build)) {
    const debian = debianIn(cache);
    addNode(debian, process.execPath, npmOfMachine());
    engine.importFolder(debian, images.build, { NODE_EXTRA_CA_CERTS: CERTIFICATES });
  }
  return images;
}

/** Returns the folder of a minimal Debian, which takes a minute unless it is in the cache. Needs root and debootstrap. */
export function debianIn(cache: string): string {
  const debian = join(cache, `debian-${DEBIAN}`);
  if (!existsSync(debian))
    // Renamed only when it is complete.
    withFolder(cache, (draft) => {
      execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', DEBIAN, draft], {
        stdio: ['ignore', 'ignore', 'inherit'],
        timeout: DEBOOTSTRAP_MS,
      });
      renameSync(draft, debian);
    });
  return debian;
}

function withFolder(parent: string, work: (folder: string) => void): void {
  const folder = mkdtempSync(join(parent, 'making-'));
  try {
    work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Copies Node, its libraries, certificates, and its user. */
function copyNode(node: string, root: string): void {
  chmodSync(root, 0o755);
  put(realpathSync(node), root, '/usr/local/bin/node');
  const listed = execFileSync('ldd', [node], { encoding: 'utf8' });
  for (const [library] of listed.matchAll(/\/lib\S+/g)) put(library, root);
  put(CERTIFICATES, root);
  mkdirSync(join(root, 'tmp'), { mode: 0o1777 });
  writeFileSync(
    join(root, 'etc/passwd'),
    'root:x:0:0::/:/sbin/nologin\nnonroot:x:65532:65532::/:/sbin/nologin\n',
  );
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnonroot:x:65532:\n');
}

const npmOfMachine = () =>
  dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));

/** Copies Node and the folder of an npm, to install and bundle with, in place of any that are there. */
export function addNode(root: string, node: string, npm: string): void {
  const modules = join(root, 'usr/lib/node_modules/npm');
  rmSync(modules, { recursive: true, force: true });
  cpSync(npm, modules, { recursive: true });
  put(realpathSync(node), root, '/usr/bin/node');
  for (const name of ['npm', 'npx']) {
    const link = join(root, 'usr/bin', name);
    writeFileSync(link, `#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/${name}-cli.js "$@"\n`, {
      mode: 0o755,
    });
  }
  // The registry may use a CA that only this machine knows.
  put(CERTIFICATES, root);
}

function put(from: string, root: string, to = from): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  cpSync(realpathSync(from), join(root, to));
}
