import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { KIND, PRODUCTION } from './examples.ts';
import { describeWithHelm } from './helm.ts';
import type { KubernetesObject } from './objects.ts';

const goldenFile = (name: string) => join(import.meta.dirname, 'golden', `${name}.yaml`);
const MADE_UP = '<made up at the install>';

describe.each([3, 4] as const)('golden copy, with Helm %d', (major) => {
  describeWithHelm('what is rendered', major, (helm) => {
    it.each([
      ['kind', KIND],
      ['production', PRODUCTION],
    ] as const)('is what was reviewed; UPDATE_GOLDEN=1 writes it anew: %s', async (name, values) => {
      const rendered = written(await helm.render(values));
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(goldenFile(name), rendered);
      expect(rendered).toBe(readFileSync(goldenFile(name), 'utf8'));
    });
  });
});

/** By kind and name; without what differs from one rendering to the next. */
function written(objects: readonly KubernetesObject[]): string {
  const key = ({ kind, metadata }: KubernetesObject) => `${kind} ${metadata.name}`;
  return [...objects]
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .map((object) => stringify(withoutSecrets(object), { lineWidth: 0, aliasDuplicateObjects: false }))
    .join('---\n');
}

function withoutSecrets(object: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Secret') return object;
  const data = Object.fromEntries(Object.keys(object.data as object).map((name) => [name, MADE_UP]));
  return { ...object, data };
}
