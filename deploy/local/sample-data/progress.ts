import { readJsonIfPresent, writePrivateJson } from '../state/private-file.ts';
import type { SupplierName } from './sample-suppliers.ts';

export interface SampleAccount {
  readonly accountId: string;
  /** Credentials are shown once, so they are kept here. */
  readonly sandbox: string;
  readonly production: string;
}

interface Remembered {
  /** The time that all times in the sample data are relative to. */
  readonly at: string;
  readonly accounts: Partial<Record<SupplierName, Partial<SampleAccount>>>;
  readonly done: string[];
}

/** What a stack has of the sample data, kept in a file so that a later run adds only what is missing. */
export type Progress = Awaited<ReturnType<typeof openProgress>>;

/** Opens the file. `isStillThere` returns whether an account in it exists; without it, everything starts over. */
export async function openProgress(file: string, isStillThere: (accountId: string) => Promise<boolean>) {
  const stored = readJsonIfPresent(file) as Remembered | undefined;
  const { accountId } = Object.values(stored?.accounts ?? {})[0] ?? {};
  const isUsable = stored && (accountId === undefined || (await isStillThere(accountId)));
  const { at, accounts, done }: Remembered = isUsable
    ? stored
    : { at: new Date().toISOString(), accounts: {}, done: [] };
  const save = () => writePrivateJson(file, { at, accounts, done });
  return {
    at: new Date(at),
    accountOf: (supplier: SupplierName) => accounts[supplier] as SampleAccount,
    /** Adds facts about an account, unless an earlier run has. */
    async remember(supplier: SupplierName, fact: keyof SampleAccount, act: () => Promise<string>) {
      if (accounts[supplier]?.[fact] !== undefined) return;
      accounts[supplier] = { ...accounts[supplier], [fact]: await act() };
      save();
    },
    /** Runs `act` unless an earlier run has completed it. */
    async once(name: string, act: () => Promise<unknown>): Promise<void> {
      if (done.includes(name)) return;
      await act();
      done.push(name);
      save();
    },
  };
}
