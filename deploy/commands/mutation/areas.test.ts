import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { areas } from './areas.mjs';

const CHECKOUT = join(import.meta.dirname, '../../..');

it.each(areas.map((area) => [area.name, area] as const))(
  '%s names sources and tests that exist',
  (_, area) => {
    const paths = [...area.sources, ...(area.tests ?? [])];
    expect(paths.filter((path) => !existsSync(join(CHECKOUT, path)))).toEqual([]);
  },
);
