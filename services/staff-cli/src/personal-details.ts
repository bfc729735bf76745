import type { Declaration } from './declarations/declaration.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import type { Stated } from './flags/build-request.ts';
import type { Flag } from './flags/flags-of.ts';
import type { Surroundings } from './session.ts';

/** Adds the details that identify a person to a command's values, asking for them if necessary. */
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
 * Returns details that identify a person, by flag name. If none is given, it asks at the terminal, because flags remain
 * in the shell's history and in the list of processes; using one causes a warning. An empty answer is ignored. Throws
 * CommandFailure when no detail is given and there is no terminal.
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

/** Warns about personal details on the command line, by flag name. Does nothing for an empty list. */
export function warnOfFlags(flags: readonly string[], { terminal }: Surroundings): void {
  if (flags.length === 0) return;
  const which = flags.map((name) => `--${name}`).join(' and ');
  terminal.note(
    `warning: ${which} on the command line: it stays in the shell's history and is shown in the list of processes; leave it out to be asked, or use --from-json -`,
  );
}
