import type { KeyRing } from '@supplier/lib/crypto';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/time';
import { diskStore } from './disk/disk-store.ts';
import { layoutOf } from './disk/layout.ts';
import { setUpFolders } from './disk/set-up-folders.ts';
import { signedLinks } from './disk/signed-links.ts';
import { startUploadListener } from './disk/upload-listener.ts';
import type { ObjectStore } from './object-store.ts';
import type { StoreConfig, UploadListenerConfig } from './store-config.ts';

export * from './object-store.ts';

/**
 * The store of `config`, for work on objects alone (scanner, commands): on disk it hands out no URLs. Connects to
 * nothing yet: `check` tells whether it answers. The client of S3 is loaded only where it is used: it is large.
 */
export async function openObjectStore(config: StoreConfig, clock: Clock = systemClock): Promise<ObjectStore> {
  switch (config.kind) {
    case 'disk':
      return diskStore(layoutOf(config.directory));
    case 's3': {
      const { s3Store } = await import('./s3/s3-store.ts');
      return s3Store(config, clock);
    }
  }
}

/**
 * The store of `config` for the process that hands out URLs. S3 takes uploads itself; the disk store's upload listener
 * starts here and stops with the process.
 */
export async function startObjectStore(
  process: ServiceProcess,
  options: {
    store: StoreConfig;
    uploads: UploadListenerConfig | undefined;
    ring: KeyRing;
    clock?: Clock;
  },
): Promise<ObjectStore> {
  const { store: config, uploads, ring, clock = systemClock } = options;
  if (config.kind === 's3') return openObjectStore(config, clock);
  if (!uploads) throw new Error('the disk store needs to know where to take uploads');
  const layout = layoutOf(config.directory);
  const links = signedLinks(uploads.publicUrl, ring, clock);
  const store = diskStore(layout, links);
  await startUploadListener(process, { config: uploads, layout, links, store });
  return store;
}

/**
 * Makes what the store of `config` needs before it is used, and leaves alone what is there. Yields a sentence for each
 * step. Throws StoreUnavailable.
 */
export async function* setUpObjectStore(config: StoreConfig): AsyncGenerator<string> {
  switch (config.kind) {
    case 'disk':
      await setUpFolders(layoutOf(config.directory));
      yield `the folders in ${config.directory} are there`;
      return;
    case 's3': {
      const { setUpBuckets } = await import('./s3/set-up-buckets.ts');
      yield* setUpBuckets(config);
    }
  }
}
