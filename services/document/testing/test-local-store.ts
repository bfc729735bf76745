import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startTestProcess } from '@supplier/lib/testing';
import { systemClock } from '@supplier/lib/text/time';
import { localStore, setUpDirectories } from '../src/object-store/local/local-store.ts';
import { signedLinks } from '../src/object-store/local/signed-links.ts';
import { type ListenerBounds, startUploadListener } from '../src/object-store/local/upload-listener.ts';
import type { ObjectStore } from '../src/object-store/object-store.ts';
import { testKeyRing } from './test-service.ts';

export interface TestLocalStore {
  readonly store: ObjectStore;
  readonly root: string;
  readonly port: number;
  /** Lists the files of unfinished writes. */
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens a local store with its upload listener in a new directory. */
export async function openTestLocalStore(bounds?: ListenerBounds): Promise<TestLocalStore> {
  const root = await mkdtemp(join(tmpdir(), 'local-store-'));
  await setUpDirectories(root);
  const process = startTestProcess('document');
  const port = await freePort();
  const links = signedLinks(`http://127.0.0.1:${port}`, testKeyRing(), systemClock);
  const store = localStore(root, links);
  const config = { host: '127.0.0.1', port };
  await startUploadListener(process, { config, root, links, store, ...(bounds && { bounds }) });
  return {
    store,
    root,
    port,
    leftovers: () => readdir(join(root, 'unfinished')),
    async close() {
      await process.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
