import { fromJsonString, toJsonString } from '@bufbuild/protobuf';
import type { AccountId } from '@supplier/lib/text/ids';
import { CapsSchema, ThresholdsSchema } from '@supplier/proto/common/v1/principal';
import type { ScheduledTerms, ScheduledTermsId } from '../model/scheduled-terms.ts';
import type { Tables } from './database.ts';
import type { ScheduledTermsModel } from './generated/models/ScheduledTerms.ts';

const WAITING = { appliedAt: null, cancelledAt: null };
/** Ignores fields written by a newer build. */
const LENIENT = { ignoreUnknownFields: true };

/** Returns the account's terms scheduled after `now`, the next one first. */
export async function waitingTerms(tx: Tables, accountId: AccountId, now: Date): Promise<ScheduledTerms[]> {
  const where = { accountId, ...WAITING, effectiveFrom: { gt: now } };
  return (await tx.scheduledTerms.findMany({ where, orderBy: { effectiveFrom: 'asc' } })).map(fromRow);
}

/** Returns scheduled terms that apply at `now` but are not in the account's row yet, the latest last. */
export async function dueTerms(tx: Tables, accountId: AccountId, now: Date): Promise<ScheduledTerms[]> {
  const where = { accountId, ...WAITING, effectiveFrom: { lte: now } };
  return (await tx.scheduledTerms.findMany({ where, orderBy: { effectiveFrom: 'asc' } })).map(fromRow);
}

/** Returns the accounts of the `limit` terms that are due longest. */
export async function accountsWithDueTerms(tx: Tables, now: Date, limit: number): Promise<AccountId[]> {
  const rows = await tx.scheduledTerms.findMany({
    where: { ...WAITING, effectiveFrom: { lte: now } },
    orderBy: { effectiveFrom: 'asc' },
    take: limit,
    select: { accountId: true },
  });
  return [...new Set(rows.map(({ accountId }) => accountId as AccountId))];
}

/** Records that the account's row has taken the terms over. */
export async function markApplied(tx: Tables, ids: readonly ScheduledTermsId[], now: Date): Promise<void> {
  await tx.scheduledTerms.updateMany({ where: { id: { in: [...ids] } }, data: { appliedAt: now } });
}

export async function insertScheduledTerms(tx: Tables, terms: ScheduledTerms): Promise<void> {
  const { thresholds, caps, ...columns } = terms;
  await tx.scheduledTerms.create({
    data: {
      ...columns,
      thresholds: JSON.parse(toJsonString(ThresholdsSchema, thresholds)),
      caps: JSON.parse(toJsonString(CapsSchema, caps)),
    },
  });
}

export async function findScheduledTerms(
  tx: Tables,
  id: ScheduledTermsId,
): Promise<ScheduledTerms | undefined> {
  const row = await tx.scheduledTerms.findUnique({ where: { id } });
  return row ? fromRow(row) : undefined;
}

/** Cancels pending terms. The caller must hold the account's lock. */
export async function cancelTerms(tx: Tables, id: ScheduledTermsId, now: Date): Promise<ScheduledTerms> {
  return fromRow(await tx.scheduledTerms.update({ where: { id }, data: { cancelledAt: now } }));
}

/** Lists the scheduled terms of an account, newest first: up to `limit` after `after`. */
export async function listScheduledTerms(
  tx: Tables,
  accountId: AccountId,
  after: ScheduledTermsId | undefined,
  limit: number,
): Promise<ScheduledTerms[]> {
  const rows = await tx.scheduledTerms.findMany({
    where: { accountId, ...(after && { id: { lt: after } }) },
    orderBy: { id: 'desc' },
    take: limit,
  });
  return rows.map(fromRow);
}

function fromRow({ thresholds, caps, ...row }: ScheduledTermsModel): ScheduledTerms {
  return {
    ...row,
    id: row.id as ScheduledTermsId,
    accountId: row.accountId as AccountId,
    ...termsOf({ thresholds, caps }),
  };
}

/** Converts the terms of a row. Throws when they cannot be parsed. */
export function termsOf({
  thresholds,
  caps,
}: Pick<ScheduledTermsModel, 'thresholds' | 'caps'>): Pick<ScheduledTerms, 'thresholds' | 'caps'> {
  return {
    thresholds: fromJsonString(ThresholdsSchema, JSON.stringify(thresholds), LENIENT),
    caps: fromJsonString(CapsSchema, JSON.stringify(caps), LENIENT),
  };
}
