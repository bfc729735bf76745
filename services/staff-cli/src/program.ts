import { isBundled } from '@supplier/lib/runtime/build';
import { comments } from '@supplier/proto/comments';
import { Argument, Command, Option } from 'commander';
import { takesApproval } from './ask-approval.ts';
import { isPaged, MAX_ROWS } from './calls/paging.ts';
import { allCommands, nouns } from './declarations/all-commands.ts';
import type { Declaration } from './declarations/declaration.ts';
import { labelOf, type Stated } from './flags/build-request.ts';
import { type Flag, flagsOf, kindOf } from './flags/flags-of.ts';
import { seconds } from './flags/seconds.ts';
import { addHelpCommand } from './help-command.ts';
import { forms, refuseFormats, refuseListFormats } from './output/format.ts';
import { refuseShapes } from './output/list-shape.ts';
import { addOwnCommands } from './own-commands.ts';
import { warnOfFlags, withPersonalDetails } from './personal-details.ts';
import { type BatchFlags, idsOf, runBatchCommand } from './run-batch-command.ts';
import { runCommand } from './run-command.ts';
import { ownerOf, sharersOf } from './services.ts';
import type { CommonFlags, Surroundings } from './session.ts';
import { addVersionCommand } from './version-command.ts';

/** Builds the command line: one command for each declared RPC, and the commands that combine several calls. */
export function buildProgram(surroundings: Surroundings): Command {
  const { terminal } = surroundings;
  const declared = new Map<Command, Declaration>();
  const program = new Command('sss')
    .description('What staff do at the supplier submission service. Times are UTC.')
    .usage('<noun> <verb> [arguments] [flags]')
    .configureOutput({ writeOut: terminal.write, writeErr: (text) => terminal.note(text.trimEnd()) })
    .configureHelp({ showGlobalOptions: true, sortSubcommands: true })
    .exitOverride()
    .hook('preAction', (_, command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      refuseFormats(flags, terminal);
      const declaration = declared.get(command);
      if (declaration) refuseShapes(declaration, flags);
      else refuseListFormats(flags, nameOf(command));
    })
    .helpCommand(false);
  addCommonFlags(program);
  for (const declaration of allCommands)
    declared.set(addCommand(program, declaration, surroundings), declaration);
  addOwnCommands(program, (noun) => nounOf(program, noun), surroundings);
  addHelpCommand(program);
  addVersionCommand(program, terminal);
  const manual = isBundled ? 'MANUAL.md of the package' : 'docs/staff.md';
  program.addHelpText('after', `\nHow to do common things, exit codes and configuration: ${manual}`);
  return program;
}

function addCommonFlags(program: Command): void {
  program
    .addOption(new Option('-o, --output <form>', 'wide shows every column, name ids alone').choices(forms))
    .option('--sort-by <column>', 'of a list, by the name that the column has with -o wide')
    .option('--json', "print protobuf's JSON: one document, or a line for each message of a stream")
    .option('--csv', 'print comma-separated values')
    .option('--get <path>', 'print one value of the answer alone, such as submission_id or events.0.state')
    .option('--raw', 'with --get: exactly its bytes, control characters included; not to a terminal')
    .option('--context <name>', 'an environment of the configuration file (SSS_CONTEXT)')
    .option(
      '--kube <context/namespace>',
      'services of a cluster, which kubectl forwards to for as long as the command takes',
    )
    .option('--kube-release <name>', 'with --kube: the release of the chart (default: "leads")')
    .option('--stack <file>', 'a local stack, by the file that describes it (SSS_STACK)')
    .option('--token-file <file>', 'the token to call with (SSS_TOKEN)')
    .addOption(new Option('--timeout <seconds>', 'for each call').argParser(seconds).default(20));
}

/** Returns the command of a noun, creating it on first use. */
export function nounOf(program: Command, noun: string): Command {
  const known = program.commands.find((command) => command.name() === noun);
  if (known) return known;
  const made = program
    .command(noun)
    .description(nouns[noun] ?? '')
    .usage('<verb> [arguments] [flags]');
  return made.helpCommand(false);
}

function addCommand(program: Command, declaration: Declaration, surroundings: Surroundings): Command {
  const [noun = '', verb = ''] = declaration.name.split(' ');
  const command = nounOf(program, noun).command(verb);
  const flags = flagsOf(declaration);
  const comment = summaryOf(declaration);
  const summary = comment.split(/(?<=\.) /)[0] ?? '';
  command.summary(summary).description([comment, declaration.notes].filter(Boolean).join('\n\n'));
  const given = (declaration.given ?? []).flatMap((path) => flags.filter((flag) => flag.path === path));
  for (const flag of given) command.addArgument(argumentOf(flag, declaration.batch !== undefined));
  for (const flag of flags) if (!flag.given) for (const option of optionsOf(flag)) command.addOption(option);
  addMethodFlags(command, declaration);
  command.addHelpText('after', `\nExample:\n  sss ${declaration.name} ${declaration.example}`);
  command.action(async (...args: unknown[]) => {
    const asked = command.optsWithGlobals<BatchFlags>();
    const words = [...statedArguments(given, args), ...statedFlags(flags, command)];
    if (asked.fromJson !== undefined) warnOfFlags(personalFlags(declaration, words), surroundings);
    const stated =
      asked.fromJson === undefined
        ? await withPersonalDetails(declaration, flags, words, surroundings)
        : words;
    const { batch } = declaration;
    const ids = batch ? idsOf(declaration, stated, asked) : [];
    if (batch && (ids.length > 1 || asked.file !== undefined))
      await runBatchCommand({ ...declaration, batch }, flags, stated, ids, asked, surroundings);
    else await runCommand(declaration, flags, stated, asked, surroundings);
  });
  return command;
}

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Returns the names of the flags used that identify a person. */
const personalFlags = ({ personal = [] }: Declaration, stated: readonly Stated[]) =>
  stated.flatMap(({ flag }) => (personal.includes(flag.path) ? [flag.name] : []));

/** Returns the summary of a command, from the contract's comment if it has one. */
export const summaryOf = ({ method, summary }: Declaration): string =>
  comments[`${method.parent.typeName}.${method.name}`] ?? summary ?? '';

function argumentOf(flag: Flag, several: boolean): Argument {
  const variadic = several || flag.field.fieldKind === 'list' ? '...' : '';
  // Optional, because --from-json can provide the whole request.
  return new Argument(`[${labelOf(flag)}${variadic}]`, flag.help);
}

function optionsOf(flag: Flag): Option[] {
  const { name, field, choices, required } = flag;
  const said = [flag.help, choices && `one of ${choices.join(', ')}`].filter(Boolean).join('; ');
  const help = required ? `${said} (required)`.trim() : said;
  if (field.fieldKind !== 'list' && kindOf(field) === 'boolean')
    return [
      new Option(`--${name}`, help),
      new Option(`--no-${name}`, `the opposite of --${name}`).hideHelp(),
    ];
  const option = new Option(`--${name} <${placeholderOf(flag)}>`, help);
  return [field.fieldKind === 'list' ? option.argParser(collect) : option];
}

const collect = (text: string, before: readonly string[] | undefined) => [...(before ?? []), text];

function placeholderOf({ field }: Flag): string {
  const kind = kindOf(field);
  const words = {
    text: 'text',
    integer: 'number',
    number: 'number',
    boolean: 'yes|no',
    enum: 'value',
    time: 'time',
  };
  return field.fieldKind === 'list' ? `${words[kind]},…` : words[kind];
}

function addMethodFlags(
  command: Command,
  { method, irreversible, confirmedWhen, showsFirst, wait, batch }: Declaration,
): void {
  command.option(
    '--from-json <file>',
    "take the request from a file in protobuf's JSON, or from - for the standard input",
  );
  if (ownerOf(method.parent) === undefined)
    command.addOption(
      new Option('--service <name>', 'which service is asked (required)')
        .choices(sharersOf(method.parent))
        .makeOptionMandatory(),
    );
  if (isPaged(method.input, method.output)) command.option('--all', `every page, up to ${MAX_ROWS} rows`);
  if (batch)
    command.option(
      '--file <file>',
      'several, from a file with one id on each line, or what --csv has printed; - is the standard input',
    );
  if (takesApproval(method))
    command.option(
      '--ask-approval <purpose>',
      'ask somebody else to approve exactly this, and do nothing yet',
    );
  if (irreversible !== undefined || confirmedWhen) command.option('--yes', 'do not ask for confirmation');
  if (showsFirst)
    command.option('--sha256 <hex>', 'of exactly what you have read, as `show` says it; needed with --yes');
  if (wait)
    command
      .option('--wait', `wait until ${wait.until}`)
      .addOption(new Option('--wait-seconds <seconds>', 'for how long').argParser(seconds).default(60));
}

function statedArguments(given: readonly Flag[], args: readonly unknown[]): Stated[] {
  return given.flatMap((flag, at) => {
    const value = args[at];
    const values = (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);
    return values.length > 0 ? [{ flag, values }] : [];
  });
}

function statedFlags(flags: readonly Flag[], command: Command): Stated[] {
  return flags.flatMap((flag) => {
    if (flag.given) return [];
    const key = new Option(`--${flag.name}`).attributeName();
    if (command.getOptionValueSource(key) !== 'cli') return [];
    const value: unknown = command.getOptionValue(key);
    return [{ flag, values: (Array.isArray(value) ? value : [value]).map(String) }];
  });
}
