import { isBundled } from '@supplier/lib/runtime/build';
import { comments } from '@supplier/proto/comments';
import { Argument, Command, Option } from 'commander';
import { supportsApproval } from './ask-approval.ts';
import { isPaged, MAX_ROWS } from './calls/paging.ts';
import { addCustomCommands } from './custom-commands.ts';
import { allCommands, nouns } from './declarations/all-commands.ts';
import type { Declaration } from './declarations/declaration.ts';
import { type FlagInput, labelOf } from './flags/build-request.ts';
import { type Flag, flagsOf, kindOf } from './flags/flags-of.ts';
import { seconds } from './flags/parse-value.ts';
import { addHelpCommand } from './help-command.ts';
import { checkFormats, OUTPUT_FORMATS, rejectListFormats } from './output/format.ts';
import { checkListFormats } from './output/list-shape.ts';
import { warnOfFlags, withPersonalDetails } from './personal-details.ts';
import { type BatchFlags, idsOf, runBatchCommand } from './run-batch-command.ts';
import { runCommand } from './run-command.ts';
import { ownerOf, servicesSharing } from './services.ts';
import type { CommonFlags, Runtime } from './session.ts';
import { addVersionCommand } from './version-command.ts';

/** Builds the command line: one command for each declared RPC, and the commands that combine several calls. */
export function buildProgram(runtime: Runtime): Command {
  const { terminal } = runtime;
  const declared = new Map<Command, Declaration>();
  const program = new Command('sss')
    .description('Work with the supplier submission service as staff. Times are in UTC.')
    .usage('<command> <subcommand> [arguments] [options]')
    .configureOutput({ writeOut: terminal.write, writeErr: (text) => terminal.note(text.trimEnd()) })
    .configureHelp({ showGlobalOptions: true, sortSubcommands: true })
    .helpOption('-h, --help', 'Show help')
    .exitOverride()
    .hook('preAction', (_, command) => {
      const flags = command.optsWithGlobals<CommonFlags>();
      checkFormats(flags, terminal);
      const declaration = declared.get(command);
      if (declaration) checkListFormats(declaration, flags);
      else rejectListFormats(flags, nameOf(command));
    })
    .helpCommand(false);
  addCommonFlags(program);
  for (const declaration of allCommands) declared.set(addCommand(program, declaration, runtime), declaration);
  addCustomCommands(program, (noun) => nounOf(program, noun), runtime);
  addHelpCommand(program);
  addVersionCommand(program, terminal);
  const manual = isBundled ? 'MANUAL.md of the package' : 'docs/staff.md';
  program.addHelpText('after', `\nGuide, exit codes and configuration: ${manual}`);
  return program;
}

function addCommonFlags(program: Command): void {
  program
    .addOption(
      new Option('-o, --output <form>', 'Output format; wide shows all columns, name only ids').choices(
        OUTPUT_FORMATS,
      ),
    )
    .option('--sort-by <column>', 'Sort a list by a column of -o wide')
    .option('--wide', 'Show every column, and truncate nothing')
    .option('--json', 'Print JSON; streams print one object on each line')
    .option('--csv', 'Print CSV')
    .option('--bom', 'With --csv, start with a byte order mark, for a file that a spreadsheet opens')
    .option('--get <path>', 'Print one value of --json, such as submissionId or events.0.state')
    .option('--raw', 'With --get, print the exact bytes, to a file or a pipe')
    .option('--context <name>', 'Context to use (or set SSS_CONTEXT)')
    .option('--kube <context/namespace>', 'Connect to a cluster through kubectl port-forward')
    .option('--kube-release <name>', 'With --kube, name of the Helm release (default: "leads")')
    .option('--stack <file>', 'Connect to a local stack, described by this file (or set SSS_STACK)')
    .option('--token-file <file>', 'File with the access token (or set SSS_TOKEN to the token)')
    .addOption(new Option('--timeout <seconds>', 'Timeout of each call').argParser(seconds).default(20));
}

/** Returns the command of a noun, creating it on first use. */
export function nounOf(program: Command, noun: string): Command {
  const known = program.commands.find((command) => command.name() === noun);
  if (known) return known;
  const made = program
    .command(noun)
    .description(nouns[noun] ?? '')
    .usage('<subcommand> [arguments] [options]');
  return made.helpCommand(false);
}

function addCommand(program: Command, declaration: Declaration, runtime: Runtime): Command {
  const [noun = '', verb = ''] = declaration.name.split(' ');
  const command = nounOf(program, noun).command(verb);
  const flags = flagsOf(declaration);
  command
    .summary(declaration.summary)
    .description([descriptionOf(declaration), declaration.notes].filter(Boolean).join('\n\n'));
  const positional = (declaration.positional ?? []).flatMap((path) =>
    flags.filter((flag) => flag.path === path),
  );
  for (const flag of positional) command.addArgument(argumentOf(flag, declaration.batch !== undefined));
  for (const flag of flags)
    if (!flag.positional) for (const option of optionsOf(flag)) command.addOption(option);
  addMethodFlags(command, declaration);
  command.addHelpText('after', `\nExample:\n  sss ${declaration.name} ${declaration.example}`);
  command.action(async (...args: unknown[]) => {
    const options = command.optsWithGlobals<BatchFlags>();
    const words = [...argumentValues(positional, args), ...optionValues(flags, command)];
    if (options.fromJson !== undefined) warnOfFlags(personalFlags(declaration, words), runtime);
    const inputs =
      options.fromJson === undefined ? await withPersonalDetails(declaration, flags, words, runtime) : words;
    const { batch } = declaration;
    const ids = batch ? idsOf(declaration, inputs, options) : [];
    if (batch && (ids.length > 1 || options.file !== undefined))
      await runBatchCommand({ ...declaration, batch }, flags, inputs, ids, options, runtime);
    else await runCommand(declaration, flags, inputs, options, runtime);
  });
  return command;
}

const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** Returns the names of the flags used that identify a person. */
const personalFlags = ({ personal = [] }: Declaration, inputs: readonly FlagInput[]) =>
  inputs.flatMap(({ flag }) => (personal.includes(flag.path) ? [flag.name] : []));

/** Returns the contract's comment on the RPC, or the command's summary if there is none. */
const descriptionOf = ({ method, summary }: Declaration): string =>
  comments[`${method.parent.typeName}.${method.name}`] ?? `${summary}.`;

function argumentOf(flag: Flag, several: boolean): Argument {
  const variadic = several || flag.field.fieldKind === 'list' ? '...' : '';
  // Optional, because --from-json can provide the whole request.
  return new Argument(`[${labelOf(flag)}${variadic}]`, flag.help);
}

function optionsOf(flag: Flag): Option[] {
  const { name, field, choices, required } = flag;
  const parts = [flag.help, choices && `one of ${choices.join(', ')}`].filter(Boolean);
  const text = `${parts.join('; ')}${required ? ' (required)' : ''}`.trim();
  const help = text.charAt(0).toUpperCase() + text.slice(1);
  if (field.fieldKind !== 'list' && kindOf(field) === 'boolean')
    return [
      new Option(`--${name}`, help),
      new Option(`--no-${name}`, `The opposite of --${name}`).hideHelp(),
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
  { method, irreversible, confirmationFor, reviewMethod, wait, batch }: Declaration,
): void {
  command.option('--from-json <file>', 'Read the request from a JSON file, or from standard input with -');
  if (ownerOf(method.parent) === undefined)
    command.addOption(
      new Option('--service <name>', 'Service to call (required)')
        .choices(servicesSharing(method.parent))
        .makeOptionMandatory(),
    );
  if (isPaged(method.input, method.output))
    command.option('--all', `Fetch all pages, up to ${MAX_ROWS.toLocaleString('en')} rows`);
  if (batch)
    command.option(
      '--file <file>',
      'Read ids from a file with one on each line, or the output of --csv; - for standard input',
    );
  if (supportsApproval(method))
    command.option(
      '--ask-approval <purpose>',
      'Request approval of exactly this command instead of running it',
    );
  if (irreversible !== undefined || confirmationFor) command.option('--yes', 'Skip the confirmation');
  if (reviewMethod)
    command.option('--sha256 <hex>', 'Digest that `sss approvals show` prints; required with --yes');
  if (wait)
    command
      .option('--wait', `Wait until ${wait.until}`)
      .addOption(new Option('--wait-seconds <seconds>', 'Timeout of --wait').argParser(seconds).default(60));
}

function argumentValues(positional: readonly Flag[], args: readonly unknown[]): FlagInput[] {
  return positional.flatMap((flag, at) => {
    const value = args[at];
    const values = (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);
    return values.length > 0 ? [{ flag, values }] : [];
  });
}

function optionValues(flags: readonly Flag[], command: Command): FlagInput[] {
  return flags.flatMap((flag) => {
    if (flag.positional) return [];
    const key = new Option(`--${flag.name}`).attributeName();
    if (command.getOptionValueSource(key) !== 'cli') return [];
    const value: unknown = command.getOptionValue(key);
    return [{ flag, values: (Array.isArray(value) ? value : [value]).map(String) }];
  });
}
