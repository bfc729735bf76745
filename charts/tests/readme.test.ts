import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clamdConf } from '../../services/document/src/scan/clamd/clamd-settings.ts';
import { readme } from './readme.ts';
import { PASSED_ON } from './wrong-values.ts';

const CHART = join(import.meta.dirname, '..', 'supplier-submissions');

describe('generated files of the chart', () => {
  it('README matches the values and their schema; UPDATE_README=1 writes it', () => {
    const path = join(CHART, 'README.md');
    if (process.env.UPDATE_README === '1') writeFileSync(path, readme());
    expect(readFileSync(path, 'utf8')).toBe(readme());
  });

  it('README has a meaning for every value', () => {
    expect(
      readme()
        .split('\n')
        .filter((line) => /\| {1,2}\|$/.test(line)),
    ).toEqual([]);
  });

  it('schema is closed at every level except for objects passed to Kubernetes', () => {
    const schema: unknown = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8'));
    const open = objectsIn(schema, '')
      .filter(([, object]) => !('additionalProperties' in object))
      .map(([path]) => path.replace(/^.*\//, ''));
    expect(new Set(open)).toEqual(new Set(PASSED_ON));
  });

  it('throw-away clamd has the settings that the scanner needs', () => {
    expect(readFileSync(join(CHART, 'files', 'clamd.conf'), 'utf8').startsWith(clamdConf({}))).toBe(true);
  });
});

/** Returns every object schema with its path. */
function objectsIn(schema: unknown, path: string): [string, object][] {
  if (typeof schema !== 'object' || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([key, value]) => objectsIn(value, `${path}/${key}`));
  return 'type' in schema && schema.type === 'object' ? [[path, schema], ...inner] : inner;
}
