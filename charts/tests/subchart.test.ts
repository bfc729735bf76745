import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { KIND_WITH_CONSOLE, PRODUCTION } from './examples.ts';
import { CHART, describeWithHelm, type Helm } from './helm.ts';
import { type KubernetesObject, ofKind, podsIn } from './objects.ts';

const { version } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string };

let umbrella: string;
beforeAll(() => {
  umbrella = mkdtempSync(join(tmpdir(), 'umbrella-'));
  mkdirSync(join(umbrella, 'charts'));
  cpSync(CHART, join(umbrella, 'charts', 'supplier-submissions'), { recursive: true });
  const dependency = { name: 'supplier-submissions', alias: 'leads', version, condition: 'leads.enabled' };
  writeFileSync(
    join(umbrella, 'Chart.yaml'),
    stringify({ apiVersion: 'v2', name: 'platform', version: '1.0.0', dependencies: [dependency] }),
  );
});
afterAll(() => rmSync(umbrella, { recursive: true }));

const valuesIn = (file: string) => parse(readFileSync(join(CHART, file), 'utf8')) as Record<string, unknown>;
const kind = { ...valuesIn('values-kind.yaml'), serviceTokens: { jwks: { keys: [{ kty: 'OKP' }] } } };

describe.each([3, 4] as const)('subchart, with Helm %d', (major) => {
  describeWithHelm('an umbrella chart', major, (helm) => {
    const render = (values: object) => rendered(helm, umbrella, values);

    it('installs it under its alias if its condition is true', async () => {
      const objects = await render({ leads: { ...kind, enabled: true } });
      const names = ofKind(objects, 'Deployment').map(({ metadata }) => metadata.name);
      expect(names).toContain('shop-leads-gateway-sandbox');
      expect(names).toHaveLength(11);
    });

    it('omits it if its condition is false', async () => {
      expect(await render({ leads: { ...kind, enabled: false } })).toEqual([]);
    });

    it('passes a registry and pull secrets, in both formats, to every pod', async () => {
      const pullSecrets = ['by-name', { name: 'by-reference' }];
      const objects = await render({
        global: { imageRegistry: 'mirror.example:5000', imagePullSecrets: pullSecrets, others: { key: 1 } },
        leads: {
          ...kind,
          enabled: true,
          image: { ...(kind as never as Images).image, pullSecrets: ['own'] },
        },
      });
      const pods = podsOf(objects);
      expect(pods.length).toBeGreaterThan(20);
      for (const { spec } of pods) {
        const images = [...(spec.initContainers ?? []), ...spec.containers].map(({ image }) => image);
        expect(images.filter((image) => !image?.startsWith('mirror.example:5000/'))).toEqual([]);
        expect(spec.imagePullSecrets).toEqual([
          { name: 'by-name' },
          { name: 'by-reference' },
          { name: 'own' },
        ]);
      }
    });

    it('keeps release digests, and its own registry if no global one is set', async () => {
      const digest = `sha256:${'0'.repeat(64)}`;
      const image = { ...(kind as never as Images).image, digests: { gateway: digest } };
      const images = async (global: object) => {
        const objects = await render({ global, leads: { ...kind, enabled: true, image } });
        return ofKind(objects, 'Deployment').flatMap(({ metadata, spec }) =>
          metadata.name.endsWith('gateway-sandbox')
            ? (spec as { template: { spec: { containers: { image: string }[] } } }).template.spec.containers
            : [],
        )[0]?.image;
      };
      const path = `supplier-submissions-gateway@${digest}`;
      expect(await images({})).toBe(`localhost/${path}`);
      expect(await images({ imageRegistry: '', imagePullSecrets: null })).toBe(`localhost/${path}`);
      expect(await images({ imageRegistry: 'mirror.example/team' })).toBe(`mirror.example/team/${path}`);
    });

    it.each([
      ['a registry that is not a string', { imageRegistry: 5 }, '/global/imageRegistry'],
      ['pull secrets that are not a list', { imagePullSecrets: 'registry' }, '/global/imagePullSecrets'],
    ])('%s: rejected by the schema, which names the value', async (_, global, says) => {
      await expect(render({ global, leads: { ...kind, enabled: true } })).rejects.toThrow(says);
    });
  });

  describeWithHelm('the chart on its own', major, (helm) => {
    it('accepts global values too', async () => {
      const values = { ...PRODUCTION, set: ['global={"imageRegistry":"mirror.example"}'] };
      for (const { spec } of podsOf(await helm.render(values)))
        for (const { image } of spec.containers) expect(image).toMatch(/^mirror\.example\//);
    });

    it('rejects an install with `enabled: false`, which only a parent chart reads', async () => {
      const { ok, output } = await helm.template({
        ...KIND_WITH_CONSOLE,
        set: [...(KIND_WITH_CONSOLE.set ?? []), 'enabled=false'],
      });
      expect({ ok, output }).toEqual({ ok: false, output: expect.stringContaining('  - enabled: true') });
    });
  });
});

type Images = { readonly image: object };

function podsOf(objects: readonly KubernetesObject[]) {
  const tests = ofKind(objects, 'Pod') as unknown as ReturnType<typeof podsIn>;
  return [...podsIn(objects), ...tests];
}

async function rendered(helm: Helm, chart: string, values: object): Promise<KubernetesObject[]> {
  const file = join(umbrella, `${crypto.randomUUID()}.json`);
  writeFileSync(file, JSON.stringify(values));
  return helm.render({ files: [file], release: 'shop' }, chart);
}
