import { atLeast, type Version } from './version.ts';

/** `sync_interval` came with this version; an older server refuses a configuration that names it. */
const SYNC_INTERVAL_SINCE: Version = [2, 10, 0];

/**
 * The server's configuration: JetStream on files, on the loopback address only, every message on disk before it is
 * acknowledged where the version can do that.
 */
export function natsConfig(options: { port: number; storage: string; version: Version }): string {
  const sync = atLeast(options.version, SYNC_INTERVAL_SINCE) ? ['  sync_interval: always'] : [];
  return [
    `listen: "127.0.0.1:${options.port}"`,
    'server_name: "local"',
    'max_payload: 1MB',
    'jetstream {',
    `  store_dir: ${JSON.stringify(options.storage)}`,
    '  max_memory_store: 64MB',
    '  max_file_store: 4GB',
    ...sync,
    '}',
    '',
  ].join('\n');
}
