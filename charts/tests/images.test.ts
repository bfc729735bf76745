import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { imageTargets } from '../../deploy/images/targets.ts';
import { imageIn, registryFrom } from '../../deploy/release/registry.ts';
import { KIND_WITH_CONSOLE, PRODUCTION, WITH_CONSOLE, withValues } from './examples.ts';
import { CHART, describeWithHelm } from './helm.ts';
import type { KubernetesObject } from './objects.ts';

/** HOST[:PORT]/PATH, then a tag or digest or both, as container runtimes accept it. */
const REFERENCE =
  /^(?:localhost|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d{1,5})?(?:\/[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)+(?=[:@])(?::\w[\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?$/;

/** Returns every image that an object names, at any depth. */
function imagesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inside]) =>
    key === 'image' && typeof inside === 'string' ? [inside] : imagesIn(inside),
  );
}

const { version } = JSON.parse(readFileSync(join(CHART, '../../package.json'), 'utf8')) as {
  version: string;
};
const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Record<string, unknown>;

it('the chart has the version of the product', () => {
  expect(chart).toMatchObject({ version, appVersion: version });
});

describeWithHelm('images', 4, (helm) => {
  const named = async (objects: Promise<KubernetesObject[]>) => [...new Set(imagesIn(await objects))].sort();
  const digest = `sha256:${'0'.repeat(64)}`;

  it.each([
    ['kind', KIND_WITH_CONSOLE],
    ['production', WITH_CONSOLE],
    ['a digest', withValues(WITH_CONSOLE, `image.digests={"gateway":"${digest}","console":"${digest}"}`)],
    ['a registry with a port', withValues(WITH_CONSOLE, 'image.registry="registry.example:5000"')],
  ])('%s: a container runtime accepts each name', async (_, values) => {
    const images = await named(helm.render(values));
    expect(images.length).toBeGreaterThanOrEqual(imageTargets.length);
    expect(images.filter((image) => !REFERENCE.test(image))).toEqual([]);
  });

  it('match the images that a release pushes, by version, with the default values', async () => {
    const ofDefaults = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')).image;
    const image = `image=${JSON.stringify({ ...ofDefaults, pullSecrets: [] })}`;
    const released = registryFrom('ghcr.io/supplier-submissions');
    expect(await named(helm.render(withValues(WITH_CONSOLE, image)))).toEqual(
      imageTargets.map(({ name }) => `${imageIn(released, name)}:${version}`).sort(),
    );
  });

  it.each([
    ['a registry with a path', 'image.registry="ghcr.io/owner"', '/image/registry'],
    ['a repository in capitals', 'image.repository="Owner/name"', '/image/repository'],
    ['a tag with a slash', 'image.tag="a/b"', '/image/tag'],
    ['a truncated digest', 'image.digests={"gateway":"sha256:00"}', '/image/digests/gateway'],
  ])('%s: rejected by the schema, which names the value', async (_, set, message) => {
    const { ok, output } = await helm.template(withValues(PRODUCTION, set));
    expect(ok).toBe(false);
    expect(output).toContain(message);
  });
});
