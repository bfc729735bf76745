import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KeyRing } from '@supplier/lib/data/crypto';
import { freePort, startTestProcess, type TestProcess } from '@supplier/lib/testing';
import { systemClock } from '@supplier/lib/text/time';
import { type Layout, layoutOf, setUpDirectories } from '../src/object-store/disk/directory.ts';
import { diskStore } from '../src/object-store/disk/disk-store.ts';
import { type SignedLinks, signedLinks } from '../src/object-store/disk/signed-links.ts';
import { type ListenerBounds, startUploadListener } from '../src/object-store/disk/upload-listener.ts';
import type { ObjectStore } from '../src/object-store/object-store.ts';

export interface TestDiskStore {
  readonly store: ObjectStore;
  readonly layout: Layout;
  readonly links: SignedLinks;
  readonly keyRing: KeyRing;
  /** The URL of the listener. */
  readonly url: string;
  readonly process: TestProcess;
  leftovers(): Promise<string[]>;
  close(): Promise<void>;
}

/** Opens a disk store with its upload listener, in a new directory or in `root`. */
export async function openTestDiskStore(
  options: { bounds?: Partial<ListenerBounds>; root?: string; trustedProxies?: readonly string[] } = {},
): Promise<TestDiskStore> {
  const root = options.root ?? (await mkdtemp(join(tmpdir(), 'disk-store-')));
  const layout = layoutOf(root);
  await setUpDirectories(layout);
  const process = startTestProcess('document');
  const { trustedProxies = [] } = options;
  const config = { host: '127.0.0.1', port: await freePort(), trustedProxies };
  const url = `http://127.0.0.1:${config.port}`;
  const keyRing = testRing();
  const links = signedLinks(url, keyRing, systemClock);
  const store = diskStore(layout, { keyRing, links });
  const bounds = options.bounds ?? {};
  await startUploadListener(process, { config, layout, keyRing, links, store, bounds });
  return {
    store,
    layout,
    links,
    keyRing,
    url,
    process,
    leftovers: () => readdir(layout.temporary),
    async close() {
      await process.stop();
      if (!options.root) await rm(root, { recursive: true, force: true });
    },
  };
}

export function testRing(): KeyRing {
  const key = Buffer.alloc(32, 7).toString('base64');
  return KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key }, digestKey: key }));
}
