import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import type { SqlSession } from '@supplier/lib/data/postgres';
import { appendEvent, newEvent } from '@supplier/lib/events/outbox';
import type { AccountId } from '@supplier/lib/text/ids';
import { AccountChangedSchema, CredentialRevokedSchema } from '@supplier/proto/account/v1/events';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import type { Account, AccountSettings, Credential } from '../model/account.ts';
import type { ScheduledTerms } from '../model/scheduled-terms.ts';
import type { Tables } from './database.ts';
import type { Prisma } from './generated/client.ts';
import type { AccountModel } from './generated/models/Account.ts';
import { dueTerms } from './scheduled-terms-rows.ts';

export async function insertAccount(tx: Tables, account: Account, now: Date): Promise<void> {
  const { id, name, revision, ...settings } = account;
  await tx.account.create({
    data: { id, name, revision, ...columnsOf(settings), createdAt: now, updatedAt: now },
  });
}

/** Returns the account as of `now`: with the terms that have taken effect, and the revision that results. */
export async function findAccount(tx: Tables, id: AccountId, now: Date): Promise<Account | undefined> {
  const account = await findStoredAccount(tx, id);
  if (!account) return undefined;
  return underTerms(account, (await dueTerms(tx, id, now)).at(-1));
}

/** Returns the account with the terms that have taken effect but are not in its row yet, if any. */
export function underTerms(
  account: Account,
  due: Pick<ScheduledTerms, 'thresholds' | 'caps'> | undefined,
): Account {
  if (!due) return account;
  const { thresholds, caps } = due;
  // Taking over any number of due terms raises the revision by one.
  return { ...account, terms: { ...account.terms, thresholds, caps }, revision: account.revision + 1n };
}

export async function findStoredAccount(tx: Tables, id: AccountId): Promise<Account | undefined> {
  const row = await tx.account.findUnique({ where: { id } });
  return row ? accountFromRow(row) : undefined;
}

export async function accountExists(tx: Tables, id: AccountId): Promise<boolean> {
  return (await tx.account.count({ where: { id }, take: 1 })) > 0;
}

/**
 * Replaces the settings of an account and raises its revision, provided it is still `revision`; otherwise returns
 * undefined.
 */
export async function replaceSettings(
  tx: Tables,
  id: AccountId,
  revision: bigint,
  settings: AccountSettings,
  now: Date,
): Promise<Account | undefined> {
  const [row] = await tx.account.updateManyAndReturn({
    where: { id, revision },
    data: { ...columnsOf(settings), revision: { increment: 1 }, updatedAt: now },
  });
  return row ? accountFromRow(row) : undefined;
}

/** Raises the account's revision by one for another event. */
export async function raiseRevision(tx: Tables, id: AccountId, now: Date): Promise<bigint> {
  const { revision } = await tx.account.update({
    where: { id },
    data: { revision: { increment: 1 }, updatedAt: now },
    select: { revision: true },
  });
  return revision;
}

/** Filters for listed accounts; undefined fields match everything. */
interface AccountFilter {
  /** Case-insensitive. */
  readonly nameContains: string | undefined;
  readonly state: Account['state'] | undefined;
}

/** Maximum number of accounts read for one page, matching or not. */
const MAX_READ = 5_000;

/**
 * Lists matching accounts, newest first: up to `limit` after `after`, and the account after which the next page begins;
 * undefined on the last page.
 */
export async function listAccounts(
  db: Tables,
  { nameContains, state }: AccountFilter,
  after: AccountId | undefined,
  limit: number,
) {
  const order = {
    orderBy: { id: 'desc' },
    select: { id: true, name: true, state: true, createdAt: true },
  } as const;
  const below = after && { lt: after };
  const lastRead = await db.account.findFirst({
    where: { ...(below && { id: below }) },
    ...order,
    skip: MAX_READ - 1,
  });
  // Prisma doesn't escape the wildcards of LIKE.
  const contains = nameContains?.replace(/[\\%_]/g, '\\$&');
  const rows = await db.account.findMany({
    where: {
      id: { ...below, ...(lastRead && { gte: lastRead.id }) },
      ...(state && { state }),
      ...(contains && { name: { contains, mode: 'insensitive' } }),
    },
    ...order,
    take: limit + 1,
  });
  const page = rows.slice(0, limit);
  return { page, next: rows.length > limit ? page.at(-1)?.id : lastRead?.id };
}

/** Converts a row to an account. Throws when the stored terms cannot be parsed. */
export function accountFromRow(row: Omit<AccountModel, 'createdAt' | 'updatedAt'>): Account {
  return {
    id: row.id as AccountId,
    name: row.name,
    state: row.state,
    permittedScopes: row.permittedScopes,
    // Terms written by a newer build can have fields that this build does not know.
    terms: fromJsonString(TermsSchema, JSON.stringify(row.terms), { ignoreUnknownFields: true }),
    writesPerMinute: row.writesPerMinute,
    readsPerMinute: row.readsPerMinute,
    revision: row.revision,
  };
}

function columnsOf(settings: AccountSettings) {
  const { permittedScopes, terms, ...others } = settings;
  return { ...others, permittedScopes: [...permittedScopes], terms: termsJson(terms) };
}

function termsJson(terms: AccountSettings['terms']): Prisma.InputJsonObject {
  return JSON.parse(toJsonString(TermsSchema, terms));
}

/** Appends the event that announces the account's new `revision`. */
export async function appendAccountChanged(
  tx: SqlSession,
  id: AccountId,
  revision: bigint,
  at: Date,
): Promise<void> {
  const facts = { aggregateId: id, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(AccountChangedSchema, create(AccountChangedSchema, { revision }), facts));
}

/** Appends the event that the credential was revoked; `revision` is the account's. */
export async function appendCredentialRevoked(
  tx: SqlSession,
  { id, publicId, accountId }: Credential,
  revision: bigint,
  at: Date,
): Promise<void> {
  const message = create(CredentialRevokedSchema, { credentialId: id, publicId });
  const facts = { aggregateId: accountId, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(CredentialRevokedSchema, message, facts));
}
