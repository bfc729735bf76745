import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { EVERYTHING, KIND, PRODUCTION } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import type { KubernetesObject } from './objects.ts';

const GOLDEN = join(import.meta.dirname, 'golden');
/** One process represents all: their common parts come from one template. */
const SHOWN = /submission(?:-\d+-[0-9a-f]+)?$/;

describeWithHelm('the rendered chart', 4, (helm) => {
  it('matches the reviewed objects of one production process; UPDATE_GOLDEN=1 writes them', async () => {
    const objects = (await helm.render(PRODUCTION)).filter(({ metadata }) => SHOWN.test(metadata.name));
    const yaml = inOrder(objects).map((object) =>
      stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }),
    );
    expectGolden('submission.yaml', yaml.join('---\n'));
  });

  it.each([
    ['kind', KIND],
    ['production', PRODUCTION],
  ] as const)('contains these objects, with the values for %s', async (name, values) => {
    const names = inOrder(await helm.render(values)).map(keyOf);
    expectGolden(`${name}.txt`, `${names.join('\n')}\n`);
  });

  describeWithHelm('with Helm 3', 3, (older) => {
    it.each([
      ['kind', KIND],
      ['production', PRODUCTION],
      ['everything that is off by default', EVERYTHING],
    ] as const)('is the same, with the values for %s', async (_name, values) => {
      const [one, other] = await Promise.all([older.render(values), helm.render(values)]);
      expect(inOrder(one).map(withoutSecrets)).toEqual(inOrder(other).map(withoutSecrets));
    });
  });
});

function expectGolden(name: string, text: string): void {
  const file = join(GOLDEN, name);
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, text);
  expect(text).toBe(readFileSync(file, 'utf8'));
}

const keyOf = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;
const inOrder = (objects: readonly KubernetesObject[]) =>
  [...objects].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1));

/** Some secrets are generated at each rendering. */
function withoutSecrets(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Secret') return object;
  return { ...object, data: Object.keys(object.data as object) };
}
