import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { KIND_WITH_CONSOLE } from '../../charts/tests/examples.ts';
import { imageTargets } from '../images/targets.ts';
import { helm as versions } from '../programs/tools.ts';
import { type ChartOptions, type PushedRelease, packageChart, pushChart } from './chart.ts';
import { registryFrom } from './registry.ts';
import { describeWithRegistry } from './testing/local-registry.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const VERSION = '7.8.9-rc.1';
const REVISION = '0123456789abcdef0123456789abcdef01234567';
/** Returns a digest for each process, as a registry would. */
const digestOf = (index: number) => `sha256:${index.toString(16).repeat(64)}`;

const releaseAt = (place: string): PushedRelease => ({
  version: VERSION,
  revision: REVISION,
  images: ['sss', ...imageTargets.map(({ name }) => name)].map((name, index) => ({
    name,
    image: `${place}/supplier-submissions-${name}`,
    digest: digestOf(index),
  })),
});

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-chart-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const optionsFor = (place: string, changes: Partial<ChartOptions> = {}): ChartOptions => ({
  ...{
    registry: registryFrom(place),
    version: VERSION,
    revision: REVISION,
    pushed: releaseAt(place),
    folder,
  },
  ...changes,
});

describeWithRegistry('a released chart, with Helm 4', (registry) => {
  beforeAll(() => versions[4].obtain(), versions[4].withinMs);

  const helm = (...args: string[]) =>
    execFileSync(versions[4].path, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  let place = '';
  let chart = '';
  let pushed = { chart: '', version: '', digest: '' };

  beforeAll(() => {
    place = `${registry().host}/Some-Owner`.toLowerCase();
    const file = packageChart(CHECKOUT, versions[4].path, optionsFor(place));
    pushed = pushChart(versions[4].path, file, {
      registry: registryFrom(place),
      version: VERSION,
      plainHttp: true,
    });
    chart = `oci://${place}/charts/supplier-submissions`;
    helm('pull', chart, '--version', VERSION, '--plain-http', '--untar', '--untardir', folder);
  });

  const imagesOf = (...args: string[]) => {
    const flags = ['--namespace', 'leads', '--kube-version', '1.35.0', '--plain-http'];
    const values = join(folder, 'supplier-submissions', 'values-kind.yaml');
    const text = helm(
      'template',
      'leads',
      ...flags,
      '--values',
      values,
      ...(KIND_WITH_CONSOLE.set ?? []).flatMap((assignment) => ['--set-json', assignment]),
      ...args,
    );
    return [
      ...new Set(
        [...text.matchAll(/image: "?([^\s"]*supplier-submissions-[^\s"]*)/g)].map(([, image]) => image),
      ),
    ].sort();
  };

  const wanted = () =>
    imageTargets
      .map(({ name }, index) => `${place}/supplier-submissions-${name}@${digestOf(index + 1)}`)
      .sort();

  it('can be pulled by its version, and by the digest that the push returned', () => {
    expect(pushed).toMatchObject({ chart: chart.replace('oci://', ''), version: VERSION });
    for (const name of [[chart, '--version', VERSION], [`${chart}@${pushed.digest}`]])
      expect(parse(helm('show', 'chart', ...name, '--plain-http'))).toMatchObject({
        name: 'supplier-submissions',
        version: VERSION,
        appVersion: VERSION,
      });
  });

  it('runs the images of its release by digest, without a value that names them', () => {
    expect(imagesOf(chart, '--version', VERSION)).toEqual(wanted());
  });

  it('runs them from a mirror by the same digests', () => {
    const mirrored = imagesOf(chart, '--version', VERSION, '--set', 'image.registry=mirror.example');
    expect(mirrored).toEqual(wanted().map((image) => image?.replace(registry().host, 'mirror.example')));
  });

  it('runs your own images by tag, once its digests are removed', () => {
    const own = ['--set-json', 'image.digests=null', '--set', 'image.tag=mine'];
    expect(imagesOf(chart, '--version', VERSION, ...own)).toEqual(
      wanted().map((image) => image?.replace(/@.*/, ':mine')),
    );
  });

  it('differs from the chart in the checkout only in its versions and image locations', () => {
    const values = (at: string) => parse(readFileSync(join(at, 'values.yaml'), 'utf8'));
    const [released, ours] = [
      join(folder, 'supplier-submissions'),
      join(CHECKOUT, 'charts/supplier-submissions'),
    ].map(values);
    expect({ ...released, image: undefined }).toEqual({ ...ours, image: undefined });
    expect(released.image).toEqual({
      ...ours.image,
      registry: registry().host,
      repository: 'some-owner/supplier-submissions',
      digests: expect.anything(),
    });
  });

  it('reports a missing registry when it is pushed', () => {
    const nowhere = registryFrom('127.0.0.1:9/x');
    const file = join(folder, `supplier-submissions-${VERSION}.tgz`);
    expect(() =>
      pushChart(versions[4].path, file, { registry: nowhere, version: VERSION, plainHttp: true }),
    ).toThrow('cannot push the chart to oci://127.0.0.1:9/x/charts: ');
  });
});

describe('a refused chart package', () => {
  const refusal = (changes: Partial<ChartOptions>) => () =>
    packageChart(CHECKOUT, '/nowhere/helm', optionsFor('registry.example/x', changes));
  const { images } = releaseAt('registry.example/x');

  it('is refused for a release without an image', () => {
    const pushed = {
      ...releaseAt(''),
      images: images.filter(({ name }) => !['webhook', 'scanner'].includes(name)),
    };
    expect(refusal({ pushed })).toThrow('missing images: scanner, webhook; push all images first');
  });

  it.each([{ version: '7.8.8' }, { revision: 'f'.repeat(40) }])(
    'is refused with images of another release: %p',
    (other) => {
      expect(refusal({ pushed: { ...releaseAt('registry.example/x'), ...other } })).toThrow(
        `not ${VERSION} (${REVISION}): push the images of this version first`,
      );
    },
  );

  it('is refused with images of another registry', () => {
    expect(refusal({ registry: registryFrom('registry.example/y') })).toThrow(
      'is not in the registry: registry.example/y/supplier-submissions-gateway',
    );
  });
});
