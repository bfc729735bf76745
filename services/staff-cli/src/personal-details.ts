import type { Declaration } from './declarations/declaration.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import type { Stated } from './flags/build-request.ts';
import type { Flag } from './flags/flags-of.ts';
import type { Surroundings } from './session.ts';

/** What a user states of a command, with the details of a person that they are asked for. */
export async function withPersonalDetails(
  { name, personal }: Declaration,
  flags: readonly Flag[],
  stated: readonly Stated[],
  surroundings: Surroundings,
): Promise<readonly Stated[]> {
  if (!personal) return stated;
  const asked = flags.filter(({ path }) => personal.includes(path));
  const values = new Map(stated.map(({ flag, values: [value] }) => [flag.name, value]));
  const names = asked.map((flag) => flag.name);
  const details = await personalDetails(
    name,
    names,
    Object.fromEntries(names.map((one) => [one, values.get(one)])),
    surroundings,
  );
  const others = stated.filter(({ flag }) => !asked.includes(flag));
  return [
    ...others,
    ...asked.flatMap((flag) => {
      const value = details[flag.name];
      return value === undefined ? [] : [{ flag, values: [value] }];
    }),
  ];
}

/**
 * Details that name a person, by the names of their flags. Where none is stated they are asked for at the terminal, because a
 * flag stands in the shell's history and in the list of processes: one that is used is warned of. An empty answer states
 * nothing. Throws CommandFailure when none is stated and nobody can be asked.
 */
export async function personalDetails(
  command: string,
  names: readonly string[],
  stated: Readonly<Record<string, string | undefined>>,
  surroundings: Surroundings,
): Promise<Readonly<Record<string, string>>> {
  const { terminal, signal } = surroundings;
  const flags = names.filter((name) => stated[name] !== undefined);
  if (flags.length > 0) {
    warnOfFlags(flags, surroundings);
    return Object.fromEntries(flags.map((name) => [name, stated[name] ?? '']));
  }
  const answers: Record<string, string> = {};
  if (terminal.interactive)
    for (const name of names) {
      const question = `${name} (empty where it is not known): `;
      const answer = (await terminal.ask(question, signal).catch(() => '')).trim();
      if (signal.aborted) throw new CommandFailure(exitCodes.interrupted, 'interrupted');
      if (answer !== '') answers[name] = answer;
    }
  if (Object.keys(answers).length > 0) return answers;
  throw new CommandFailure(
    exitCodes.usage,
    `\`sss ${command}\` needs ${names.join(', ')}, or one of them`,
    terminal.interactive
      ? []
      : [`at a terminal it asks; in a script give {"${names[0]}": "…"} to --from-json -`],
  );
}

/** Warns of details of a person that stand on the command line, by the names of their flags; of none it says nothing. */
export function warnOfFlags(flags: readonly string[], { terminal }: Surroundings): void {
  if (flags.length === 0) return;
  const which = flags.map((name) => `--${name}`).join(' and ');
  terminal.note(
    `warning: ${which} on the command line: it stays in the shell's history and is shown in the list of processes; leave it out to be asked, or use --from-json -`,
  );
}
