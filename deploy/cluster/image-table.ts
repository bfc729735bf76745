import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { eicarSignatureFile } from '../../services/document/testing/eicar.ts';
import { bundle } from '../images/bundle.ts';
import { ENTRYPOINT, imageTargets } from '../images/targets.ts';
import { findClamd } from '../local/clamav/find-clamd.ts';
import { postgresBinaries } from '../local/postgres/binaries.ts';
import type { ImageFiles } from './node/index.ts';

/** Where each image of ours finds its files, as in deploy/Dockerfile. */
const APP = '/app';
const NODE = '/nodejs/bin';
const STAND_INS = '/stand-ins';
const SYSTEM = '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin';
const REPOSITORY = 'localhost/supplier-submissions';
/** User and group of our images. */
const NOBODY = 65532;

/** What stands for the images of throw-away stores, as values.yaml names them. */
const STORES = {
  postgresql: 'docker.io/library/postgres:18',
  nats: 'docker.io/library/nats:2.12.3',
  clamd: 'docker.io/clamav/clamav:1.5',
} as const;

/** A version of the system: its tag, and what differs from the sources in the bundle of one of its images. */
export interface Version {
  readonly tag: string;
  readonly image?: string;
  amend?(folder: string): void;
}

export interface TableOptions {
  readonly checkout: string;
  /** Files of images are written there. */
  readonly folder: string;
  readonly natsServer: string;
  /** PEM of an authority that the base image of ours trusts, beside the usual ones. */
  readonly authority: string;
  readonly versions: readonly Version[];
}

/**
 * What each image reference of an installation stands for on this machine: bundles of the processes, run by this Node, and
 * stand-ins for the throw-away stores: the PostgreSQL and NATS of the local stack and Debian's clamd, without signatures.
 */
export async function imageTable(options: TableOptions): Promise<Map<string, ImageFiles>> {
  const table = new Map(await bundledImages(options));
  const files = join(options.folder, 'stand-ins');
  cpSync(join(import.meta.dirname, 'stand-ins'), files, { recursive: true });
  mkdirSync(join(files, 'signatures'));
  writeFileSync(join(files, 'signatures', 'local.ndb'), eicarSignatureFile());
  const standIns = { source: files, target: STAND_INS };
  table.set(STORES.postgresql, postgresql(standIns));
  table.set(STORES.nats, nats(options.natsServer));
  const clamd = findClamd();
  if (clamd === undefined) throw new Error('clamd is not installed (apt-get install clamav-daemon)');
  table.set(STORES.clamd, {
    entrypoint: [],
    command: [],
    folder: files,
    environment: { PATH: `${STAND_INS}/bin:${dirname(clamd)}:${SYSTEM}` },
    mounts: [standIns],
  });
  return table;
}

async function bundledImages(options: TableOptions): Promise<[string, ImageFiles][]> {
  const { checkout, folder, authority, versions } = options;
  const sources = join(folder, 'images');
  mkdirSync(sources, { recursive: true });
  for (const target of imageTargets) await bundle(checkout, target, sources);
  const trusted = join(folder, 'trusted.pem');
  writeFileSync(trusted, authority);
  chmodSync(trusted, 0o644);
  return imageTargets.flatMap(({ name }) =>
    versions.map(({ tag, image, amend }): [string, ImageFiles] => {
      const own = join(sources, name);
      const files = image === name ? join(folder, `${name}-${tag}`) : own;
      if (files !== own) {
        cpSync(own, files, { recursive: true });
        amend?.(files);
      }
      return [`${REPOSITORY}-${name}:${tag}`, processImage(files, trusted)];
    }),
  );
}

function processImage(files: string, trusted: string): ImageFiles {
  return {
    entrypoint: ENTRYPOINT,
    command: ['src/main.mjs'],
    folder: files,
    environment: {
      PATH: [NODE, SYSTEM].join(delimiter),
      MALLOC_ARENA_MAX: '2',
      // As a base image would have it whose store of authorities holds one more.
      NODE_EXTRA_CA_CERTS: '/etc/ssl/certs/trusted.pem',
    },
    mounts: [
      { source: files, target: APP },
      { source: dirname(process.execPath), target: NODE },
      { source: trusted, target: '/etc/ssl/certs/trusted.pem' },
    ],
    user: NOBODY,
    group: NOBODY,
  };
}

function postgresql(standIns: { source: string; target: string }): ImageFiles {
  const target = '/opt/postgresql';
  return {
    entrypoint: ['node', `${STAND_INS}/postgresql.mjs`],
    command: [],
    folder: standIns.source,
    environment: { PATH: [`${STAND_INS}/bin`, `${target}/bin`, NODE, SYSTEM].join(delimiter), LC_ALL: 'C' },
    mounts: [
      standIns,
      { source: dirname(dirname(postgresBinaries().postgres)), target },
      { source: dirname(process.execPath), target: NODE },
    ],
  };
}

function nats(server: string): ImageFiles {
  return {
    entrypoint: ['nats-server'],
    command: [],
    folder: dirname(server),
    environment: { PATH: `/nats:${SYSTEM}` },
    mounts: [{ source: dirname(server), target: '/nats' }],
  };
}
