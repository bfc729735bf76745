import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { postgresBinaries } from '../../../deploy/local/postgres/binaries.ts';
import { runPostgresAs } from '../../../deploy/local/postgres/run-as.ts';
import type { StateFolder } from '../../../deploy/local/state/state-folder.ts';
import { deleteCluster, takeBaseBackup } from '../restore/base-backup.ts';

/** The log that a primary keeps for a standby whose files are being copied. */
export const KEPT_LOG = { wal_keep_size: '256MB' };

/** Replaces the files of `to` with those of the running server of `from`, which it will follow as its standby. */
export async function copyToStandby(url: string, from: StateFolder, to: StateFolder): Promise<void> {
  const data = join(to.postgres, 'data');
  if (existsSync(data)) deleteCluster(to);
  mkdirSync(to.postgres, { recursive: true, mode: 0o700 });
  const { own } = runPostgresAs([to.postgres, postgresBinaries().postgres]);
  own(to.postgres);
  await takeBaseBackup(url, from, { base: data, wal: '' }, own);
  asStandby(to);
}

/** Makes a server follow the primary of its `following` settings when it starts. */
export function asStandby({ postgres }: StateFolder): void {
  const signal = join(postgres, 'data', 'standby.signal');
  writeFileSync(signal, '');
  runPostgresAs([postgres, postgresBinaries().postgres]).own(signal);
}

/** Returns the settings with which a server that has a standby's files follows the primary at `url`. */
export const following = (url: string): Record<string, string> => ({
  primary_conninfo: `${url}?application_name=standby`,
});
