import { create } from '@bufbuild/protobuf';
import { AccountService, type ListedAccount } from '@supplier/proto/account/v1/account';
import type { Caller } from '../calls/caller.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { Terminal } from '../output/terminal.ts';
import type { FlagInput } from './build-request.ts';
import { isId } from './parse-value.ts';

const PAGE = 200;
/** A name that more accounts contain is no name. */
const MAX_PAGES = 10;
const MAX_CANDIDATES = 10;
const ANY_ID = '00000000-0000-7000-8000-000000000000';

/** Returns whether a field takes an account's id, and was given something else: the name of a supplier. */
export const isSupplierName = ({ flag, values }: FlagInput): boolean =>
  flag.field.name === 'account_id' && flag.field.fieldKind === 'scalar' && isName(values.at(-1) ?? '');

/** Returns whether a text given for an account's id is a name. */
export const isName = (text: string): boolean => text.trim() !== '' && !isId(text);

/** Returns inputs in which names of suppliers are ids of no account, to check everything else before a call. */
export const withoutNames = (inputs: readonly FlagInput[]): FlagInput[] =>
  inputs.map((input) => (isSupplierName(input) ? { ...input, values: [ANY_ID] } : input));

/** Returns inputs in which names of suppliers are the ids of their accounts. Throws CommandFailure. */
export const withAccountIds = (
  inputs: readonly FlagInput[],
  caller: Pick<Caller, 'unary'>,
  terminal: Pick<Terminal, 'note'>,
  match: NameMatch,
): Promise<FlagInput[]> =>
  Promise.all(
    inputs.map(async (input) =>
      isSupplierName(input)
        ? { ...input, values: [await accountIdOf(input.values.at(-1) ?? '', caller, terminal, match)] }
        : input,
    ),
  );

/** Whether a part of a name is enough. It isn't for a change, which would reach the wrong supplier by a typing error. */
export type NameMatch = 'whole' | 'part';

/**
 * Returns the id of the account with this name or, if a part is enough, of the only one whose name contains it, ignoring
 * case, and notes which one. Throws CommandFailure with the candidates if it is none or several.
 */
export async function accountIdOf(
  name: string,
  caller: Pick<Caller, 'unary'>,
  { note }: Pick<Terminal, 'note'>,
  match: NameMatch,
): Promise<string> {
  const wanted = name.trim().toLowerCase();
  const found = await accountsContaining(name.trim(), caller);
  const exact = found.filter((one) => one.name.trim().toLowerCase() === wanted);
  const candidates = exact.length > 0 ? exact : found;
  const [only] = candidates;
  if (!only)
    throw new CommandFailure(exitCodes.notFound, `no supplier is named "${name}"`, [
      'give the account ID, or a name that `sss accounts list` shows',
    ]);
  if (exact.length === 1 || (match === 'part' && candidates.length === 1)) {
    note(`supplier: ${only.name}, account ${only.accountId}`);
    return only.accountId;
  }
  const more = candidates.length - MAX_CANDIDATES;
  throw new CommandFailure(
    exitCodes.usage,
    exact.length > 1
      ? `"${name}" is the name of several suppliers: give the account ID`
      : `"${name}" is only a part of a name: give ${match === 'part' ? 'more of it' : 'the whole name'}, or the account ID`,
    [
      ...candidates.slice(0, MAX_CANDIDATES).map((one) => `${one.accountId}  ${one.name}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ],
  );
}

async function accountsContaining(name: string, caller: Pick<Caller, 'unary'>): Promise<ListedAccount[]> {
  const { listAccounts } = AccountService.method;
  const found: ListedAccount[] = [];
  let pageToken = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const request = create(listAccounts.input, { nameContains: name, pageSize: PAGE, pageToken });
    const answer = await caller.unary(listAccounts, request);
    found.push(...answer.accounts);
    pageToken = answer.nextPageToken;
    if (pageToken === '') break;
  }
  return found;
}
