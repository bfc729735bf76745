import { chmodSync, cpSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeBaseImages } from '../../../deploy/images/base-images.ts';
import { buildImage, whileBuilding } from '../../../deploy/images/build.ts';
import { imageTargets } from '../../../deploy/images/targets.ts';
import { eicarSignatureFile } from '../../../deploy/local/clamav/eicar-scanner.ts';
import { postgresBinaries } from '../../../deploy/local/postgres/binaries.ts';

/** Tags of our images. The second tag's submission service has a failing migration, fixed in the third. */
export const TAGS = { first: 'dev', broken: 'broken', mended: 'mended' } as const;
/** Names as in the chart's values. */
const STORES = {
  postgresql: 'docker.io/library/postgres:18',
  nats: 'docker.io/library/nats:2.12.3',
  clamd: 'docker.io/clamav/clamav:1.5',
} as const;

export interface ImageOptions {
  readonly checkout: string;
  readonly folder: string;
  readonly natsServer: string;
  /** PEM of a CA that the webhook service trusts. */
  readonly authority: string;
  readonly versions: boolean;
  say(what: string): void;
}

/**
 * Builds every image that an installation on a local node needs, with podman and as root. Returns the path of one
 * archive.
 */
export function saveImages({ checkout, folder, natsServer, authority, versions, say }: ImageOptions): string {
  const context = join(folder, 'context');
  cpSync(import.meta.dirname, context, { recursive: true });
  cpSync(dirname(dirname(postgresBinaries().postgres)), join(context, 'postgresql'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  cpSync(natsServer, join(context, 'nats-server'));
  chmodSync(join(context, 'nats-server'), 0o755);
  writeFileSync(join(context, 'local.ndb'), eicarSignatureFile());
  writeFileSync(join(context, 'authority.pem'), authority);
  writeFileSync(join(context, 'broken.sql'), 'SELECT 1 / 0;\n');
  writeFileSync(join(context, 'mended.sql'), "COMMENT ON TABLE application IS 'trial';\n");

  return whileBuilding('podman', (engine, cache) => {
    say('base images');
    const bases = makeBaseImages(engine, cache, process.execPath);
    const file = join(import.meta.dirname, 'Dockerfile');
    const saved: string[] = [];
    const make = (target: string, tag: string, ours = bases.base) => {
      say(`image ${tag}`);
      engine.build({ target, tag, file, context, args: { DEBIAN: bases.build, OURS: ours }, date: 0 });
      saved.push(tag);
    };
    for (const [target, tag] of Object.entries(STORES)) make(target, tag);
    for (const { name } of imageTargets) {
      say(`the image of ${name}`);
      const { tag } = buildImage(engine, checkout, { name, tag: TAGS.first, bases });
      if (name === 'webhook') make('trusting', tag, tag);
      else saved.push(tag);
      for (const version of versions ? ([TAGS.broken, TAGS.mended] as const) : []) {
        const also = tag.replace(/[^:]+$/, version);
        if (name === 'submission') make(version, also, tag);
        else {
          engine.addName(tag, also);
          saved.push(also);
        }
      }
    }
    say('archive of all images');
    const archive = join(folder, 'images.tar');
    engine.save(saved, archive);
    return archive;
  });
}
