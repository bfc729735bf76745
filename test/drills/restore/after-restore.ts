import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { SupplierClient } from '../../../deploy/local/demonstration/supplier-client.ts';
import type { StateFolder } from '../../../deploy/local/state/state-folder.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import type { Databases } from '../databases.ts';
import type { Findings } from '../findings.ts';
import { type SentSubmission, tryOnce } from '../load.ts';
import type { Delivery, Receiver } from '../receiver.ts';
import type { Stage } from '../stage.ts';
import {
  type StoredSubmission,
  storedChanges,
  storedSubmissions,
  webhookStates,
} from '../stored-submissions.ts';
import type { DrillSupplier } from '../supplier.ts';
import { checkStore } from './store-check.ts';

const CREATED = 202;
const KNOWN = 200;
const GONE = 404;
const REPLAYED = 20;
const PATIENCE = { withinMs: 30_000, everyMs: 100 };

/** The contents of the restored databases, before any process works on them. */
export interface Restored {
  readonly at: number;
  readonly submissions: readonly StoredSubmission[];
  readonly changes: readonly { readonly eventId: string; readonly submissionId: string }[];
  /** Webhook events by id. */
  readonly webhooks: ReadonlyMap<string, string>;
  /** Clean documents and documents awaiting a scan: their object keys by id. */
  readonly clean: ReadonlyMap<string, string>;
  readonly waiting: ReadonlyMap<string, string>;
}

export async function asRestored(databases: Databases, accountId: string): Promise<Restored> {
  const submissions = await storedSubmissions(databases, accountId);
  const documents = await databases.rows<{ id: string; status: string; key: string }>(
    'document',
    `SELECT id, scan_status::text AS status, held_key AS key
     FROM document WHERE account_id = $1 AND scan_status IS NOT NULL`,
    [accountId],
  );
  const of = (status: string) =>
    new Map(documents.filter((document) => document.status === status).map(({ id, key }) => [id, key]));
  return {
    at: Date.now(),
    submissions,
    changes: await storedChanges(databases, submissions),
    webhooks: await webhookStates(databases, accountId),
    clean: of('clean'),
    waiting: of('pending_scan'),
  };
}

/**
 * Checks a store that is newer than the databases: check-store must find its objects without a document. It may lack
 * only objects that a scan has moved since, and check-store must detect a store that lacks more.
 */
export async function storeHolds(
  stage: Stage,
  postgres: string,
  { clean, waiting }: Restored,
  out: Findings,
): Promise<void> {
  const { orphans, missing, others } = await checkStore(stage, postgres, '--stopped');
  out.found(
    'check-store finds the objects that were stored after the restore point',
    orphans.length > 0,
    `${orphans.length} orphans`,
  );
  out.none(
    'no document lacks its file, except one that was being scanned at the restore point',
    [...missing.filter((id) => !waiting.has(id)), ...others],
    `${clean.size} clean, ${waiting.size} waiting, ${missing.length} of them moved since`,
  );
  const [[lost, key] = ['', '']] = clean;
  const without = await withoutObject(stage.state, key, () => checkStore(stage, postgres, '--stopped'));
  out.found(
    'check-store reports a document that is missing from a store older than the database',
    without.missing.length === missing.length + 1 && without.missing.includes(lost),
    `${without.missing.length} missing`,
  );
}

/** Runs `work` while one object of the clean area is missing. */
async function withoutObject<Result>(
  { documents, path }: StateFolder,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const object = join(documents, 'clean', key);
  const away = join(path, 'object-away');
  renameSync(object, away);
  try {
    return await work();
  } finally {
    renameSync(away, object);
  }
}

/**
 * Sends submissions from after the restore point again, twice: each is accepted as new once. Earlier submissions get the same
 * response as before. Submissions that never got a response are sent again too.
 */
export async function sentAgain(
  { production }: DrillSupplier,
  submissions: readonly SentSubmission[],
  restored: Restored,
  out: Findings,
): Promise<void> {
  const there = new Set(restored.submissions.map(({ reference }) => reference));
  const lost = submissions.filter(({ reference }) => !there.has(reference));
  const former = new Map(lost.map((submission) => [submission, submission.taken?.submissionId]));
  const wrong: string[] = [];
  for (const submission of lost) {
    const [first, firstId] = await again(production, submission);
    const [second, secondId] = await again(production, submission);
    if (first !== CREATED || second !== KNOWN || firstId !== secondId || firstId === former.get(submission))
      wrong.push(`${submission.reference}: ${first}, ${second}`);
  }
  const told = [...former.values()].filter((id) => id !== undefined);
  out.none(
    'a lead sent after the restore point is recorded as new, once and with a new id, when it is sent again',
    wrong,
    `${lost.length} leads, of them accepted: ${told.length}`,
  );
  const ghosts: string[] = [];
  for (const id of told.slice(0, REPLAYED)) {
    const { status } = await production.read(id);
    if (status !== GONE) ghosts.push(`${id}: ${status}`);
  }
  out.none('its previous id is unknown', ghosts, `${Math.min(told.length, REPLAYED)} ids`);
  const kept = submissions.filter(({ reference, taken }) => taken && there.has(reference));
  const changed: string[] = [];
  for (const submission of [...kept.slice(0, REPLAYED / 2), ...kept.slice(-REPLAYED / 2)]) {
    const id = submission.taken?.submissionId;
    const [status, newId] = await again(production, submission);
    if (status !== KNOWN || newId !== id) changed.push(`${submission.reference}: ${status}`);
  }
  out.none('a lead sent before the restore point returns the same response', changed, `${REPLAYED} leads`);
}

/** Sends a submission until it gets a response. */
async function again(
  client: SupplierClient,
  submission: SentSubmission,
): Promise<[number | undefined, string | undefined]> {
  const taken = await waitUntil(async () => (await tryOnce(client, submission)) || undefined, PATIENCE);
  return taken ? [submission.statuses.at(-1), submission.taken?.submissionId] : [undefined, undefined];
}

interface Known {
  readonly databases: Databases;
  readonly accountId: string;
  readonly receiver: Receiver;
  readonly restored: Restored;
}

/**
 * Checks that each change from before the restore point reaches its supplier under its original id or is superseded by
 * a later one, and that no submission is reported as billable twice after the restore.
 */
export async function changesOfBeforeAreTold(
  { databases, accountId, receiver, restored }: Known,
  out: Findings,
): Promise<void> {
  const heard = new Set(receiver.deliveries.map(({ eventId }) => eventId));
  const states = await webhookStates(databases, accountId);
  out.none(
    'every change before the restore point is delivered with its original id, or superseded by a later one',
    restored.changes
      .map(({ eventId }) => eventId)
      .filter((id) => !heard.has(id) && states.get(id) !== 'superseded'),
    `${restored.changes.length} changes`,
  );
  const since = receiver.deliveries.filter(({ at }) => at >= restored.at);
  const before = new Set(
    receiver.deliveries.filter(({ at }) => at < restored.at).map(({ eventId }) => eventId),
  );
  const repeated = since.filter(({ eventId }) => before.has(eventId));
  out.measured('events redelivered with their ids', repeated.length, 'events');
  const billable = Map.groupBy(since.filter(isBillable), ({ submissionId }) => submissionId);
  out.none(
    'after the restore no supplier is notified under two ids that a lead is billable',
    [...billable]
      .filter(([, told]) => new Set(told.map(({ eventId }) => eventId)).size > 1)
      .map(([id]) => id),
    `${billable.size} leads`,
  );
}

const isBillable = ({ billingStatus }: Delivery) => billingStatus === 'billable';
