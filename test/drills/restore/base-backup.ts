import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresBinaries } from '../../../deploy/local/postgres/binaries.ts';
import { runPostgresAs } from '../../../deploy/local/postgres/run-as.ts';
import type { StateFolder } from '../../../deploy/local/state/state-folder.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import { copyTree } from './copy-tree.ts';

/** How old the youngest archived commit may be while little happens. */
export const ARCHIVE_TIMEOUT_S = 5;
const ARCHIVED_WITHIN_MS = 60_000;

/** Where a cluster's backup lies: the files of one moment, and all of the log since. */
export interface PostgresBackup {
  readonly base: string;
  readonly wal: string;
}

/** What the server does not need, or must not have, of another one's files. */
const LEFT_OUT =
  /^(?:(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.*|(?:.*\/)?(?:pgsql_tmp.*|pg_internal\.init.*)|postmaster\.(?:pid|opts)|backup_label.*|tablespace_map)$/;

/** Makes the folders of a backup, which the server writes its log to. */
export function preparePostgresBackup(state: StateFolder, folder: string): PostgresBackup {
  const backup = { base: join(folder, 'base'), wal: join(folder, 'wal') };
  mkdirSync(backup.wal, { recursive: true });
  ownedByPostgres(state)(backup.wal);
  return backup;
}

/** The settings by which a server archives its log. */
export const archiving = ({ wal }: PostgresBackup) => ({
  archive_mode: 'on',
  // Never over what is there: a file of that name is one of another server, or a torn copy that somebody looks at.
  archive_command: `test ! -f '${wal}/%f' && cp '%p' '${wal}/%f.part' && mv '${wal}/%f.part' '${wal}/%f'`,
  archive_timeout: String(ARCHIVE_TIMEOUT_S),
});

/** The settings by which a server brings itself to a moment, and then serves. Until then it answers nobody. */
export const recovering = ({ wal }: PostgresBackup, until: string) => ({
  restore_command: `cp '${wal}/%f' '%p'`,
  recovery_target_time: until,
  recovery_target_action: 'promote',
  hot_standby: 'off',
});

/**
 * Copies the files of a running cluster between pg_backup_start and pg_backup_stop, which is what pg_basebackup does where
 * there is one. Resolves to the bytes copied.
 */
export async function takeBaseBackup(
  superuserUrl: string,
  state: StateFolder,
  { base }: PostgresBackup,
): Promise<number> {
  const session = new pg.Client({ connectionString: superuserUrl });
  await session.connect();
  try {
    await session.query(`SELECT pg_backup_start('drill', fast => true)`);
    const bytes = copyTree(join(state.postgres, 'data'), base, { leavesOut: (path) => LEFT_OUT.test(path) });
    const { rows } = await session.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    writeFileSync(join(base, 'backup_label'), rows[0]?.labelfile ?? '');
    return bytes;
  } finally {
    await session.end();
  }
}

/** Waits until everything that is committed now is in the archive. Throws when that takes longer than a minute. */
export async function untilArchived(superuserUrl: string): Promise<void> {
  const session = new pg.Client({ connectionString: superuserUrl });
  await session.connect();
  try {
    const { rows } = await session.query<{ file: string }>(
      'SELECT pg_walfile_name(pg_current_wal_lsn()) AS file',
    );
    const file = rows[0]?.file ?? '';
    const archived = await waitUntil(
      async () => {
        const { rows: found } = await session.query<{ last: string | null }>(
          'SELECT last_archived_wal AS last FROM pg_stat_archiver',
        );
        return (found[0]?.last ?? '') >= file || undefined;
      },
      { withinMs: ARCHIVED_WITHIN_MS, everyMs: 100 },
    );
    if (!archived) throw new Error(`${file} was not archived`);
  } finally {
    await session.end();
  }
}

/** Puts the files of a base backup where the cluster's were, with the sign that says that it is to recover. */
export function putBaseBackup(state: StateFolder, { base }: PostgresBackup): void {
  const data = join(state.postgres, 'data');
  const own = ownedByPostgres(state);
  copyTree(base, data, { made: own });
  const signal = join(data, 'recovery.signal');
  writeFileSync(signal, '');
  own(signal);
}

/** Loses the files of the cluster, which may still be written to by its last processes. */
export function deleteCluster(state: StateFolder): void {
  const lost = join(state.postgres, 'lost');
  renameSync(join(state.postgres, 'data'), lost);
  rmSync(lost, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function ownedByPostgres(state: StateFolder): (path: string) => void {
  return runPostgresAs([state.postgres, postgresBinaries().postgres]).own;
}
