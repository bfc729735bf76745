import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { noteUntested } from '@supplier/lib/testing/programs';
import { stateFolder } from '../state/state-folder.ts';
import { databasesInMemory, removeFromMemory } from './in-memory.ts';

describe('databases in memory', () => {
  const path = mkdtempSync(join(tmpdir(), 'in-memory-'));
  const state = stateFolder(path, path);

  afterAll(() => {
    removeFromMemory(state);
    rmSync(path, { recursive: true });
  });

  // Only Linux supports this, and it may lack the space.
  const { postgres } = databasesInMemory(state);
  const hasRoom = postgres !== state.postgres;
  if (!hasRoom) noteUntested('databases in memory', 'free 2 GiB in /dev/shm');
  const withRoom = hasRoom ? it : it.skip;

  withRoom(
    'have a folder that only their owner can read, and start without the data of an earlier stack',
    () => {
      expect(postgres).toMatch(/^\/dev\/shm\//);
      writeFileSync(join(postgres, 'left'), '');
      expect(databasesInMemory(state)).toEqual({ ...state, postgres });
      expect(readdirSync(postgres)).toEqual([]);
      expect(statSync(postgres).mode & 0o777).toBe(0o700);
    },
  );

  withRoom('leave nothing behind, and belong to a single stack', () => {
    const other = databasesInMemory(stateFolder(join(path, 'other'), path));
    removeFromMemory(state);
    expect(statSync(other.postgres).isDirectory()).toBe(true);
    expect(statSync(postgres, { throwIfNoEntry: false })).toBeUndefined();
    removeFromMemory(stateFolder(join(path, 'other'), path));
  });
});
