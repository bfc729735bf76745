import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { noteUntested } from '@supplier/lib/testing/programs';
import { lacksSmallDisk, makeSmallDisk } from './small-disk.ts';

const lack = lacksSmallDisk();
const itIfMounted = lack === undefined ? it : it.skip;
if (lack !== undefined) noteUntested('a full disk', `mend: ${lack}`);

itIfMounted('a small disk takes no more bytes while it is full', () => {
  const disk = makeSmallDisk();
  const bytes = Buffer.alloc(1_000_000);
  writeFileSync(join(disk.path, 'one'), bytes);
  disk.fill();
  expect(() => writeFileSync(join(disk.path, 'another'), bytes)).toThrow('ENOSPC');
  disk.free();
  writeFileSync(join(disk.path, 'another'), bytes);
  disk.remove();
  expect(existsSync(disk.path)).toBe(false);
});
