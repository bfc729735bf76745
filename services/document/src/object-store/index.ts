import type { KeyRing } from '@supplier/lib/data/crypto';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import { layoutOf, setUpDirectories } from './disk/directory.ts';
import { diskStore } from './disk/disk-store.ts';
import { signedLinks } from './disk/signed-links.ts';
import { startUploadListener } from './disk/upload-listener.ts';
import type { ObjectStore } from './object-store.ts';
import type { StoreConfig, UploadListenerConfig } from './store-config.ts';

export * from './object-store.ts';

/**
 * Opens the store of `config` for processes that issue no URLs (scanner, commands); a disk store needs the key ring to
 * read objects. Opens no connection; `check` does. The S3 client is loaded only when used, because it is large.
 */
export async function openObjectStore(
  config: StoreConfig,
  { keyRing, clock = systemClock }: { keyRing?: KeyRing; clock?: Clock } = {},
): Promise<ObjectStore> {
  switch (config.kind) {
    case 'disk':
      return diskStore(layoutOf(config.directory), keyRing ? { keyRing } : {});
    case 's3': {
      const { s3Store } = await import('./s3/s3-store.ts');
      return s3Store(config, clock);
    }
  }
}

/**
 * Starts the store of `config` for the process that issues upload and download URLs. S3 serves them directly; a disk
 * store starts an upload listener, which stops with the process.
 */
export async function startObjectStore(
  process: ServiceProcess,
  options: {
    store: StoreConfig;
    uploads: UploadListenerConfig | undefined;
    keyRing: KeyRing;
    clock?: Clock;
  },
): Promise<ObjectStore> {
  const { store: config, uploads, keyRing, clock = systemClock } = options;
  if (config.kind === 's3') return openObjectStore(config, { clock });
  if (!uploads) throw new Error('disk store not opened: upload listener configuration missing');
  const layout = layoutOf(config.directory);
  const links = signedLinks(uploads.publicUrl, keyRing, clock);
  const store = diskStore(layout, { keyRing, links });
  await startUploadListener(process, { config: uploads, layout, keyRing, links, store });
  return store;
}

/**
 * Creates the directories or buckets of the store of `config`, leaving existing ones unchanged. Yields a sentence for
 * each step. Throws StoreUnavailable.
 */
export async function* setUpObjectStore(config: StoreConfig): AsyncGenerator<string> {
  switch (config.kind) {
    case 'disk':
      await setUpDirectories(layoutOf(config.directory));
      yield `the directories in ${config.directory} exist`;
      return;
    case 's3': {
      const { setUpBuckets } = await import('./s3/set-up-buckets.ts');
      yield* setUpBuckets(config);
    }
  }
}

/**
 * Throws a ConfigError unless everything that is stored is encrypted: a disk store always seals its objects, and
 * buckets must have encryption enabled. Throws StoreUnavailable when a bucket cannot be queried.
 */
export async function requireEncryptionAtRest(config: StoreConfig): Promise<void> {
  if (config.kind === 'disk') return;
  const { requireEncryptedBuckets } = await import('./s3/encrypted-buckets.ts');
  await requireEncryptedBuckets(config);
}
