import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clamdConf } from '../../services/document/src/scan/clamd/clamd-settings.ts';
import { readme } from './readme.ts';
import { PASSED_ON } from './wrong-values.ts';

const CHART = join(import.meta.dirname, '..', 'supplier-submissions');

describe('files of the chart that are made from others', () => {
  it('the README is what the values and their schema say; UPDATE_README=1 writes it', () => {
    const path = join(CHART, 'README.md');
    if (process.env.UPDATE_README === '1') writeFileSync(path, readme());
    expect(readFileSync(path, 'utf8')).toBe(readme());
  });

  it('every value in the README has a meaning', () => {
    expect(
      readme()
        .split('\n')
        .filter((line) => /\| {1,2}\|$/.test(line)),
    ).toEqual([]);
  });

  it('the schema is closed at every level, but for what is of Kubernetes and passed on', () => {
    const schema: unknown = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
    const open = objectsIn(schema, '')
      .filter(([, object]) => !('additionalProperties' in object))
      .map(([path]) => path.replace(/^.*\//, ''));
    expect(new Set(open)).toEqual(new Set(PASSED_ON));
  });

  it('the throw-away clamd has the settings that the scanner needs', () => {
    expect(readFileSync(join(CHART, 'files', 'clamd.conf'), 'utf8').startsWith(clamdConf({}))).toBe(true);
  });
});

/** Every schema of an object, with its path. */
function objectsIn(schema: unknown, path: string): [string, object][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => objectsIn(value, `${path}/${key}`));
  return 'type' in schema && schema.type === 'object' ? [[path, schema], ...inner] : inner;
}
