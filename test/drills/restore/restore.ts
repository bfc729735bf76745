import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningStack } from '../../../deploy/local/bring-up.ts';
import { localCertificates } from '../../../deploy/local/identity/certificates.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import { databasesAt } from '../databases.ts';
import type { Findings } from '../findings.ts';
import { type Load, startLoad, tryOnce } from '../load.ts';
import { allSettled, checkOutcomes } from '../outcomes.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import type { Stage } from '../stage.ts';
import { type DrillSupplier, openSupplier } from '../supplier.ts';
import { asRestored, changesOfBeforeAreTold, type Restored, sentAgain, storeHolds } from './after-restore.ts';
import {
  archiving,
  deleteCluster,
  type PostgresBackup,
  preparePostgresBackup,
  takeBaseBackup,
  untilArchived,
} from './base-backup.ts';
import { checkNoClearText } from './check-clear-text.ts';
import { copyTree } from './copy-tree.ts';
import { type DocumentLoad, startDocuments } from './documents.ts';
import { reconcile } from './reconcile.ts';
import { recoverCluster } from './recover-cluster.ts';
import { type RecoveryPoint, recoveryPointNow } from './recovery-point.ts';
import { unreadableDocuments, unreadableSubmissions } from './sealed-data.ts';

const SENDERS = 4;
const SETTLED_MS = 120_000;
const SERVING_MS = 180_000;
const LOOKED_AT = 10;
const BYTES_PER_KB = 1_000;
const BYTES_PER_MB = 1_000_000;

/** The location of each part of a backup; keys are kept apart from the data that they decrypt. */
interface Backup {
  readonly postgres: PostgresBackup;
  readonly documents: string;
  readonly keyRings: string;
}

/**
 * Backs up a stack as docs/backup.md describes while suppliers send submissions and documents, destroys it, restores it to a
 * moment between two submissions, and checks the promises of docs/backup.md.
 */
export async function restore(stage: Stage, short: boolean, out: Findings): Promise<void> {
  const { state, progress } = stage;
  const submissionsEach = short ? 30 : 300;
  const folder = (name: string) => join(state.path, 'backup', name);
  const backup: Backup = {
    postgres: preparePostgresBackup(state, folder('postgres')),
    documents: folder('documents'),
    keyRings: join(state.path, 'keys-apart'),
  };
  const began = new Date();
  const first = await stage.start(archiving(backup.postgres));
  const receiver = await startReceiver(await localCertificates(state.certificates));
  try {
    const { gateway, production } = first.description();
    const place = { staff: first.staff, productionUrl: production, sandboxUrl: gateway };
    const supplier = await openSupplier(place, receiver);
    const world = { stage, backup, supplier, receiver, submissionsEach, out };
    const lived = await liveAndLose(world, first);
    progress('restoring …');
    const lostAt = performance.now();
    const restored = await putBack(world, lived);
    const second = await stage.start(archiving(backup.postgres));
    await untilServing(supplier, lived.load);
    out.measured('from the loss to the first accepted create', seconds(lostAt), 's');
    await lookAtIt(world, lived, restored, second, began);
    out.measured('from the loss until everything is settled and checked', seconds(lostAt), 's');
  } finally {
    await receiver.close();
  }
}

interface World {
  readonly stage: Stage;
  readonly backup: Backup;
  readonly supplier: DrillSupplier;
  readonly receiver: Receiver;
  readonly submissionsEach: number;
  readonly out: Findings;
}

/** Everything sent before the loss, and the restore point. */
interface Lived {
  readonly load: Load;
  readonly documents: DocumentLoad;
  readonly recoveryPoint: RecoveryPoint;
}

async function liveAndLose(world: World, stack: RunningStack): Promise<Lived> {
  const { stage, backup, supplier, submissionsEach, out } = world;
  const { state, progress } = stage;
  const { postgres } = stack.description();
  const load = startLoad(supplier.production, SENDERS);
  const documents = startDocuments(supplier.sandbox);
  await load.more(submissionsEach);
  progress('backing up …');
  const began = performance.now();
  const bytes = await takeBaseBackup(postgres, state, backup.postgres);
  out.measured('base backup', bytes / BYTES_PER_MB, 'MB');
  out.measured('base backup under load', seconds(began), 's');
  copyTree(state.keyRings, backup.keyRings);
  const [written, taken] = [await logWritten(postgres), load.taken()];
  await Promise.all([load.more(submissionsEach), documents.more(3)]);
  const recoveryPoint = await recoveryPointNow(postgres);
  progress(`going back to ${recoveryPoint.text} later`);
  await Promise.all([load.more(submissionsEach), documents.more(3)]);
  // Copied after the restore point, so it has every object in the database; check-store finds the extra ones.
  copyTree(state.documents, backup.documents);
  await untilArchived(postgres);
  await load.more(10);
  const log = (await logWritten(postgres)) - written;
  out.measured('WAL for each lead', log / BYTES_PER_KB / (load.taken() - taken), 'kB');
  const { archivedAt } = await lastArchived(postgres);
  progress('destroying PostgreSQL, NATS, the store, the keys and every process …');
  await stage.lose();
  out.measured('WAL that was not archived at the loss', (Date.now() - archivedAt.getTime()) / 1_000, 's');
  await Promise.all([load.abandon(), documents.abandon()]);
  const { base, wal } = backup.postgres;
  checkNoClearText({ 'database files': base, 'database log': wal }, load.submissions, out);
  deleteCluster(state);
  for (const path of [join(state.nats, 'storage'), state.documents, state.keyRings])
    rmSync(path, { recursive: true, force: true });
  return { load, documents, recoveryPoint };
}

/** Returns the number of log bytes that the cluster has written. */
async function logWritten(postgres: string): Promise<number> {
  // Log positions would count an archived, partially filled segment in full.
  const sql = 'SELECT wal_bytes::float8 AS bytes FROM pg_stat_wal';
  const [row] = await databasesAt(postgres).rows<{ bytes: number }>('postgres', sql);
  return row?.bytes ?? 0;
}

async function lastArchived(postgres: string): Promise<{ archivedAt: Date }> {
  const sql = 'SELECT coalesce(last_archived_time, now()) AS "archivedAt" FROM pg_stat_archiver';
  const [row] = await databasesAt(postgres).rows<{ archivedAt: Date }>('postgres', sql);
  return row ?? { archivedAt: new Date() };
}

/** Restores the databases, then the documents, then checks both before any process runs. */
async function putBack({ stage, backup, supplier, out }: World, lived: Lived): Promise<Restored> {
  const { state } = stage;
  const began = performance.now();
  copyTree(backup.keyRings, state.keyRings);
  const postgres = await recoverCluster(stage, backup.postgres, lived.recoveryPoint.text);
  out.measured('recovery of the cluster', seconds(began), 's');
  copyTree(backup.documents, state.documents);
  const restored = await asRestored(databasesAt(postgres), supplier.accountId);
  const { load, recoveryPoint } = lived;
  const before = load.submissions.filter(({ taken }) => taken && taken.at < recoveryPoint.earliest);
  const after = load.submissions.filter(({ sentAt }) => sentAt > recoveryPoint.latest);
  const there = new Map(restored.submissions.map(({ reference, id }) => [reference, id]));
  out.none(
    'every lead accepted before the restore point exists, with its id',
    before.filter(({ reference, taken }) => there.get(reference) !== taken?.submissionId).map(referenceOf),
    `${before.length} leads`,
  );
  out.none(
    'no lead sent after the restore point exists',
    after.filter(({ reference }) => there.has(reference)).map(referenceOf),
    `${after.length} leads`,
  );
  await storeHolds(stage, postgres, restored, out);
  await stage.stop();
  return restored;
}

const referenceOf = ({ reference }: { readonly reference: string }) => reference;

/** Waits until a submission that was accepted before the restore point is accepted again. */
async function untilServing({ production }: DrillSupplier, { submissions }: Load): Promise<void> {
  const [oldest] = submissions;
  const serving = await waitUntil(async () => (oldest && (await tryOnce(production, oldest))) || undefined, {
    withinMs: SERVING_MS,
    everyMs: 50,
  });
  if (!serving) throw new Error('no create is accepted after the restore');
}

async function lookAtIt(
  { supplier, receiver, out }: World,
  { load, documents }: Lived,
  restored: Restored,
  stack: RunningStack,
  began: Date,
): Promise<void> {
  const { postgres } = stack.description();
  const databases = databasesAt(postgres);
  await sentAgain(supplier, load.submissions, restored, out);
  const world = { databases, accountId: supplier.accountId, receiver };
  const settled = await allSettled(world, SETTLED_MS);
  out.found('all work completes automatically', settled, `within ${SETTLED_MS / 1_000} s`);
  await checkOutcomes(world, load.submissions, out);
  await changesOfBeforeAreTold({ ...world, restored }, out);
  const told = await reconcile('webhook', stack, began);
  out.none('every change has its webhook event', told.differences, `${told.compared} changes`);
  const charged = await reconcile('billing', stack, began);
  out.none(
    'the ledger matches the billing that suppliers see',
    charged.differences,
    `${charged.compared} leads`,
  );

  const had = new Set(restored.submissions.map(referenceOf));
  const old = load.submissions.filter(({ reference }) => had.has(reference));
  const some = [...old.slice(0, LOOKED_AT), ...old.slice(-LOOKED_AT)];
  const unread = await unreadableSubmissions(stack, some);
  out.none(
    'encrypted data can be decrypted with the keys that were backed up separately',
    unread,
    `${some.length} leads`,
  );
  const clean = documents.documents.filter(({ documentId }) => restored.clean.has(documentId));
  const unlike = await unreadableDocuments(stack, clean.slice(0, 2 * LOOKED_AT));
  out.none(
    'documents that were clean at the restore point download unchanged',
    unlike,
    `${Math.min(clean.length, 2 * LOOKED_AT)} documents`,
  );
}

const seconds = (since: number) => (performance.now() - since) / 1_000;
