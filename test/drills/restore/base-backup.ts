import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { postgresBinaries } from '../../../deploy/local/postgres/binaries.ts';
import { runPostgresAs } from '../../../deploy/local/postgres/run-as.ts';
import type { StateFolder } from '../../../deploy/local/state/state-folder.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import { copyTree } from './copy-tree.ts';

/** The maximum age of the newest archived commit under low activity. */
export const ARCHIVE_TIMEOUT_S = 5;
const ARCHIVED_WITHIN_MS = 60_000;

/** The location of a cluster's backup: the files of one moment, and the entire log since. */
export interface PostgresBackup {
  readonly base: string;
  readonly wal: string;
}

/** Files that a restored server must not have, or doesn't need. */
const LEFT_OUT =
  /^(?:(?:pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/.*|(?:.*\/)?(?:pgsql_tmp.*|pg_internal\.init.*)|postmaster\.(?:pid|opts)|backup_label.*|tablespace_map)$/;

/** Creates the folders of a backup, which the server archives its log to. */
export function preparePostgresBackup(state: StateFolder, folder: string): PostgresBackup {
  const backup = { base: join(folder, 'base'), wal: join(folder, 'wal') };
  mkdirSync(backup.wal, { recursive: true });
  ownedByPostgres(state)(backup.wal);
  return backup;
}

/** Returns the settings with which a server archives its log. */
export const archiving = ({ wal }: PostgresBackup) => ({
  archive_mode: 'on',
  // Never overwrites: an existing file belongs to another server, or is a partial copy that needs investigation.
  archive_command: `test ! -f '${wal}/%f' && cp '%p' '${wal}/%f.part' && mv '${wal}/%f.part' '${wal}/%f'`,
  archive_timeout: String(ARCHIVE_TIMEOUT_S),
});

/**
 * Returns the settings with which a server recovers to `until` and then serves. Until then it accepts no connections.
 */
export const recovering = ({ wal }: PostgresBackup, until: string) => ({
  restore_command: `cp '${wal}/%f' '%p'`,
  recovery_target_time: until,
  recovery_target_action: 'promote',
  hot_standby: 'off',
});

/**
 * Copies the files of a running cluster between pg_backup_start and pg_backup_stop, as pg_basebackup does where it is
 * available. `made` is called with the path of each folder and file. Resolves to the number of bytes copied.
 */
export async function takeBaseBackup(
  superuserUrl: string,
  state: StateFolder,
  { base }: PostgresBackup,
  made: (path: string) => void = () => undefined,
): Promise<number> {
  const session = new pg.Client({ connectionString: superuserUrl });
  await session.connect();
  try {
    await session.query(`SELECT pg_backup_start('drill', fast => true)`);
    const leavesOut = (path: string) => LEFT_OUT.test(path);
    const bytes = copyTree(join(state.postgres, 'data'), base, { leavesOut, made });
    const { rows } = await session.query<{ labelfile: string }>('SELECT labelfile FROM pg_backup_stop()');
    const label = join(base, 'backup_label');
    writeFileSync(label, rows[0]?.labelfile ?? '');
    made(label);
    return bytes;
  } finally {
    await session.end();
  }
}

/** Waits until every current commit is in the archive. Throws after a minute. */
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

/** Replaces the cluster's files with a base backup, and marks it for recovery. */
export function putBaseBackup(state: StateFolder, { base }: PostgresBackup): void {
  const data = join(state.postgres, 'data');
  const own = ownedByPostgres(state);
  copyTree(base, data, { made: own });
  const signal = join(data, 'recovery.signal');
  writeFileSync(signal, '');
  own(signal);
}

/** Deletes the cluster's files, which its last processes may still be writing. */
export function deleteCluster(state: StateFolder): void {
  const lost = join(state.postgres, 'lost');
  renameSync(join(state.postgres, 'data'), lost);
  rmSync(lost, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

function ownedByPostgres(state: StateFolder): (path: string) => void {
  return runPostgresAs([state.postgres, postgresBinaries().postgres]).own;
}
