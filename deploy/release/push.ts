import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildImage, type StartingImages, whileBuilding } from '../images/build.ts';
import { ofCommit } from '../images/sources.ts';
import { everyTarget } from '../images/targets.ts';
import type { PushedRelease } from './chart.ts';
import { copyOut, pushAsOne } from './podman.ts';
import { imageIn, type Registry } from './registry.ts';

export interface PushOptions {
  readonly registry: Registry;
  readonly version: string;
  /** `linux/amd64`, … */
  readonly platforms: readonly string[];
  readonly bases: StartingImages;
  readonly source?: string | undefined;
  readonly plainHttp: boolean;
  /** Accepts existing images of the same sources. */
  readonly trial?: boolean;
  readonly folder: string;
  say(text: string): void;
}

/** Builds every image for each platform, pushes it under its version, and writes `images.json` and `sbom/NAME.cdx.json`. */
export function pushImages(checkout: string, options: PushOptions): PushedRelease {
  const { registry, version, platforms, bases, source, plainHttp, trial = false, folder, say } = options;
  const bills = join(folder, 'sbom');
  mkdirSync(bills, { recursive: true });
  const images = whileBuilding('podman', (engine, cache) =>
    everyTarget.map(({ name }) => {
      const tags = platforms.map((platform) => {
        say(`building ${name} for ${platform} …`);
        const tag = `${version}-${platform.replaceAll('/', '-')}`;
        return buildImage(engine, checkout, { name, tag, bases, source, platform, afresh: !trial }).tag;
      });
      const [first = ''] = tags;
      copyOut(cache, first, '/app/sbom.cdx.json', join(bills, `${name}.cdx.json`));
      const image = imageIn(registry, name);
      say(`pushing ${image}:${version} …`);
      return { name, image, digest: pushAsOne(cache, tags, { name: `${image}:${version}`, plainHttp }) };
    }),
  );
  const pushed = { version, revision: ofCommit(checkout, '%H') ?? 'unknown', images };
  writeFileSync(join(folder, 'images.json'), `${JSON.stringify(pushed, undefined, 2)}\n`);
  return pushed;
}
