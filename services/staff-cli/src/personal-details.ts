import type { Declaration } from './declarations/declaration.ts';
import { CommandFailure, exitCodes } from './exit-codes.ts';
import type { FlagInput } from './flags/build-request.ts';
import type { Flag } from './flags/flags-of.ts';
import type { Runtime } from './session.ts';

/** Adds the details that identify a person to a command's values, asking for them if necessary. */
export async function withPersonalDetails(
  { name, personal }: Declaration,
  flags: readonly Flag[],
  inputs: readonly FlagInput[],
  runtime: Runtime,
): Promise<readonly FlagInput[]> {
  if (!personal) return inputs;
  const identifying = flags.filter(({ path }) => personal.includes(path));
  const values = new Map(inputs.map(({ flag, values: [value] }) => [flag.name, value]));
  const names = identifying.map((flag) => flag.name);
  const details = await personalDetails(
    name,
    names,
    Object.fromEntries(names.map((one) => [one, values.get(one)])),
    runtime,
  );
  const others = inputs.filter(({ flag }) => !identifying.includes(flag));
  return [
    ...others,
    ...identifying.flatMap((flag) => {
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
  inputs: Readonly<Record<string, string | undefined>>,
  runtime: Runtime,
): Promise<Readonly<Record<string, string>>> {
  const { terminal, signal } = runtime;
  const flags = names.filter((name) => inputs[name] !== undefined);
  if (flags.length > 0) {
    warnOfFlags(flags, runtime);
    return Object.fromEntries(flags.map((name) => [name, inputs[name] ?? '']));
  }
  const answers: Record<string, string> = {};
  if (terminal.interactive)
    for (const name of names) {
      const question = `${name} (leave empty if unknown): `;
      const answer = (await terminal.ask(question, signal).catch(() => '')).trim();
      if (signal.aborted) throw new CommandFailure(exitCodes.interrupted, 'interrupted');
      if (answer !== '') answers[name] = answer;
    }
  if (Object.keys(answers).length > 0) return answers;
  throw new CommandFailure(
    exitCodes.usage,
    `\`sss ${command}\` requires ${names.join(' or ')}`,
    terminal.interactive ? [] : [`run it at a terminal, or pass {"${names[0]}": "…"} to --from-json -`],
  );
}

/** Warns about personal details on the command line, by flag name. Does nothing for an empty list. */
export function warnOfFlags(flags: readonly string[], { terminal }: Runtime): void {
  if (flags.length === 0) return;
  const which = flags.map((name) => `--${name}`).join(' and ');
  terminal.note(
    `warning: ${which} on the command line remains in the shell's history and is visible in the process list: leave it out to be asked, or use --from-json -`,
  );
}
