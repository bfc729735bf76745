import { readJsonIfPresent, writePrivateJson } from '../state/private-file.ts';

export interface SampleAccount {
  accountId: string;
  /** Shown once, so kept here. */
  sandbox?: string;
  production?: string;
}

interface Remembered {
  /** The time that all times in the sample data are relative to. */
  readonly at: string;
  readonly accounts: Record<string, SampleAccount>;
  readonly done: string[];
}

/** What a stack has of the sample data, kept in a file so that a later run adds only what is missing. */
export interface Progress {
  readonly at: Date;
  readonly accounts: Record<string, SampleAccount>;
  save(): void;
  /** Runs `act` unless an earlier run has completed it. */
  once(name: string, act: () => Promise<unknown>): Promise<void>;
}

/** Opens the file. `isStillThere` tells whether an account in it exists; without it, everything starts over. */
export async function openProgress(
  file: string,
  isStillThere: (accountId: string) => Promise<boolean>,
): Promise<Progress> {
  const stored = readJsonIfPresent(file) as Remembered | undefined;
  const [first] = Object.values(stored?.accounts ?? {});
  const isUsable = stored && (first === undefined || (await isStillThere(first.accountId)));
  const { at, accounts, done }: Remembered = isUsable
    ? stored
    : { at: new Date().toISOString(), accounts: {}, done: [] };
  const save = () => writePrivateJson(file, { at, accounts, done });
  return {
    ...{ at: new Date(at), accounts, save },
    async once(name, act) {
      if (done.includes(name)) return;
      await act();
      done.push(name);
      save();
    },
  };
}
