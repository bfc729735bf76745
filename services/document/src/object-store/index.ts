import type { KeyRing } from '@supplier/lib/data/crypto';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/text/time';
import { localStore, setUpDirectories } from './local/local-store.ts';
import { signedLinks } from './local/signed-links.ts';
import { startUploadListener } from './local/upload-listener.ts';
import type { ObjectStore } from './object-store.ts';
import type { StoreConfig, UploadListenerConfig } from './store-config.ts';

export * from './object-store.ts';

/**
 * Opens the store of `config` for processes that issue no URLs (scanner, commands). Opens no connection; `check` does.
 * The S3 client is loaded only when used, because it is large.
 */
export async function openObjectStore(config: StoreConfig, clock: Clock = systemClock): Promise<ObjectStore> {
  switch (config.kind) {
    case 'local':
      return localStore(config.directory);
    case 's3': {
      const { s3Store } = await import('./s3/s3-store.ts');
      return s3Store(config, clock);
    }
  }
}

/**
 * Starts the store of `config` for the process that issues upload and download URLs. S3 serves them directly; the local
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
  if (config.kind === 's3') return openObjectStore(config, clock);
  if (!uploads) throw new Error('local store not opened: upload listener configuration missing');
  const links = signedLinks(uploads.publicUrl, keyRing, clock);
  const store = localStore(config.directory, links);
  await startUploadListener(process, { config: uploads, root: config.directory, links, store });
  return store;
}

/**
 * Creates the directories or buckets of the store of `config`, leaving existing ones unchanged. Yields a sentence for
 * each step. Throws StoreUnavailable.
 */
export async function* setUpObjectStore(config: StoreConfig): AsyncGenerator<string> {
  switch (config.kind) {
    case 'local':
      await setUpDirectories(config.directory);
      yield `the directories in ${config.directory} exist`;
      return;
    case 's3': {
      const { setUpBuckets } = await import('./s3/set-up-buckets.ts');
      yield* setUpBuckets(config);
    }
  }
}

/**
 * Throws a ConfigError unless both buckets encrypt everything that is stored. Throws StoreUnavailable when a bucket
 * cannot be queried. The local store never encrypts; the configuration admits it only where documents are throw-away.
 */
export async function requireEncryptionAtRest(config: StoreConfig): Promise<void> {
  if (config.kind === 'local') return;
  const { requireEncryptedBuckets } = await import('./s3/encrypted-buckets.ts');
  await requireEncryptedBuckets(config);
}
