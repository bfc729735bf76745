import { create, fromJsonString, toJsonString } from '@bufbuild/protobuf';
import { appendEvent, newEvent } from '@supplier/lib/events/outbox';
import type { AccountId } from '@supplier/lib/text/ids';
import { AccountChangedSchema, CredentialRevokedSchema } from '@supplier/proto/account/v1/events';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import type { Account, AccountSettings, Credential, Scope } from '../model/account.ts';
import type { ScheduledTerms } from '../model/scheduled-terms.ts';
import type { Transaction } from './database.ts';
import type { Prisma } from './generated/client.ts';
import type { AccountModel } from './generated/models/Account.ts';
import { dueTerms } from './scheduled-terms-rows.ts';

/** Adds an account with its first revision. */
export async function insertAccount(tx: Transaction, account: Account, now: Date): Promise<void> {
  const { id, name, revision, ...settings } = account;
  await tx.account.create({
    data: { id, name, revision, ...columnsOf(settings), createdAt: now, updatedAt: now },
  });
}

/** Finds the account as it is at `now`: under the terms that have come into effect, and at the revision that makes. */
export async function findAccount(tx: Transaction, id: AccountId, now: Date): Promise<Account | undefined> {
  const account = await findStoredAccount(tx, id);
  if (!account) return undefined;
  return underTerms(account, (await dueTerms(tx, id, now)).at(-1));
}

/**
 * Returns the account under terms that have come into effect and are still to be taken over into its row, if there are
 * any.
 */
export function underTerms(
  account: Account,
  due: Pick<ScheduledTerms, 'thresholds' | 'caps'> | undefined,
): Account {
  if (!due) return account;
  const { thresholds, caps } = due;
  // Taking them over is one revision further, however many they are.
  return { ...account, terms: { ...account.terms, thresholds, caps }, revision: account.revision + 1n };
}

/** Finds the account as its row has it. */
export async function findStoredAccount(tx: Transaction, id: AccountId): Promise<Account | undefined> {
  const row = await tx.account.findUnique({ where: { id } });
  return row ? accountFromRow(row) : undefined;
}

/** Tells whether there is such an account. */
export async function accountExists(tx: Transaction, id: AccountId): Promise<boolean> {
  return (await tx.account.count({ where: { id }, take: 1 })) > 0;
}

/** Replaces the settings of an account and raises its revision, if that is still `revision`; undefined if not. */
export async function replaceSettings(
  tx: Transaction,
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

/** Raises the account's revision by one, for a further event. */
export async function raiseRevision(tx: Transaction, id: AccountId, now: Date): Promise<bigint> {
  const { revision } = await tx.account.update({
    where: { id },
    data: { revision: { increment: 1 }, updatedAt: now },
    select: { revision: true },
  });
  return revision;
}

/** Locks the account against changes until the transaction ends, and returns its permitted scopes. */
export async function lockPermittedScopes(tx: Transaction, id: AccountId): Promise<Scope[] | undefined> {
  const rows = await tx.$queryRaw<{ scopes: Scope[] }[]>`
    SELECT permitted_scopes::text[] AS scopes FROM account WHERE id = ${id}::uuid FOR SHARE`;
  return rows[0]?.scopes;
}

/** Returns the account of a row. Throws when the stored terms cannot be parsed. */
export function accountFromRow(row: Omit<AccountModel, 'createdAt' | 'updatedAt'>): Account {
  return {
    id: row.id as AccountId,
    name: row.name,
    state: row.state,
    permittedScopes: row.permittedScopes,
    // Terms written by a newer build may have fields that this one does not know.
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

/** Appends the event that the account is at `revision` now. */
export async function appendAccountChanged(
  tx: Transaction,
  id: AccountId,
  revision: bigint,
  at: Date,
): Promise<void> {
  const facts = { aggregateId: id, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(AccountChangedSchema, create(AccountChangedSchema, { revision }), facts));
}

/** Appends the event that the credential has ended; `revision` is its account's. */
export async function appendCredentialRevoked(
  tx: Transaction,
  { id, publicId, accountId }: Credential,
  revision: bigint,
  at: Date,
): Promise<void> {
  const message = create(CredentialRevokedSchema, { credentialId: id, publicId });
  const facts = { aggregateId: accountId, aggregateVersion: revision, occurredAt: at };
  await appendEvent(tx, newEvent(CredentialRevokedSchema, message, facts));
}
