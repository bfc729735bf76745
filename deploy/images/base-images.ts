import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Engine } from './engine.ts';

const DEBIAN = 'bookworm';
const BUILD_IMAGE = 'localhost/supplier-build:latest';
const BASE_IMAGE = 'localhost/supplier-base:latest';
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';

export interface BaseImages {
  readonly build: string;
  readonly base: string;
}

/**
 * Makes the two images that the Dockerfile starts from where no registry of images is reachable: Debian by debootstrap
 * with this machine's npm to build in, and Node with its libraries and nothing else to run on. Takes about a minute, needs
 * root. Throws with the program's own words when a step fails.
 */
export function makeBaseImages(engine: Engine, folder: string, node: string): BaseImages {
  const debian = join(folder, 'debian');
  if (!existsSync(join(debian, 'etc/debian_version')))
    execFileSync('debootstrap', ['--variant=minbase', '--include=ca-certificates', DEBIAN, debian], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const slim = join(folder, 'slim');
  rmSync(slim, { recursive: true, force: true });
  copyNode(node, slim);
  engine.importFolder(slim, BASE_IMAGE);
  addNpm(debian);
  engine.importFolder(debian, BUILD_IMAGE, { NODE_EXTRA_CA_CERTS: CERTIFICATES });
  return { build: BUILD_IMAGE, base: BASE_IMAGE };
}

/** Node, the libraries that it loads, certificates, and the user that it runs as. */
function copyNode(node: string, root: string): void {
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

/** The npm and Node of this machine, which are only to install and bundle with. */
function addNpm(root: string): void {
  const npm = dirname(dirname(realpathSync(execFileSync('which', ['npm'], { encoding: 'utf8' }).trim())));
  cpSync(npm, join(root, 'usr/lib/node_modules/npm'), { recursive: true });
  put(realpathSync(process.execPath), root, '/usr/bin/node');
  for (const name of ['npm', 'npx']) {
    const link = join(root, 'usr/bin', name);
    writeFileSync(link, `#!/bin/sh\nexec node /usr/lib/node_modules/npm/bin/${name}-cli.js "$@"\n`, {
      mode: 0o755,
    });
  }
  // A registry may be behind an authority that only this machine knows.
  put(CERTIFICATES, root);
}

function put(from: string, root: string, to = from): void {
  mkdirSync(dirname(join(root, to)), { recursive: true });
  cpSync(realpathSync(from), join(root, to));
}
