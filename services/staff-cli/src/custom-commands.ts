import { Argument, type Command, Option } from 'commander';
import { type ExportFlags, exportPerson } from './commands/export-person.ts';
import { type ReconcileFlags, reconcile } from './commands/reconcile.ts';
import { ENVIRONMENTS, type QueuesFlags, showQueues } from './commands/show-queues.ts';
import { showSubmission } from './commands/show-submission.ts';
import { type WatchFlags, watchSubmissions } from './commands/watch-submissions.ts';
import { completionScript, type Shell, shells } from './completion/completion.ts';
import { addContextCommands } from './contexts/context-commands.ts';
import { idArgument, seconds as secondsOf } from './flags/parse-value.ts';
import { addLoginCommands } from './login/login-commands.ts';
import type { CommonFlags, Runtime } from './session.ts';

/** Adds the commands that are not a single RPC. `nounOf` returns the command of a noun. */
export function addCustomCommands(
  program: Command,
  nounOf: (noun: string) => Command,
  runtime: Runtime,
): void {
  addLoginCommands(program, runtime);
  addContextCommands(program, runtime);
  nounOf('submissions')
    .command('show')
    .summary('Show a submission with its timeline, billing, deliveries and documents')
    .description(
      'Shows a submission with its timeline, billing, deliveries and documents, without applicant details. Sections that your role may not read show the reason.',
    )
    .argument('<SUBMISSION_ID>')
    .addHelpText('after', '\nExample:\n  sss submissions show 01998c1e-7d5c-7000-8000-000000000003')
    .action((id: string, _: unknown, command: Command) =>
      showSubmission(idArgument('SUBMISSION_ID', id), command.optsWithGlobals<CommonFlags>(), runtime),
    );
  nounOf('submissions')
    .command('watch')
    .summary('Print submissions as they arrive and change')
    .description(
      'Checks the latest 200 submissions every two seconds, and prints those that are new or have changed. Changes of older submissions are not noticed. Press Ctrl-C to stop.',
    )
    .option('--account-id <id>', 'Only submissions of this account')
    .addOption(new Option('--for <seconds>', 'Stop after this time').argParser(secondsOf))
    .addHelpText('after', '\nExample:\n  sss submissions watch --for 60')
    .action((_: unknown, command: Command) =>
      watchSubmissions(command.optsWithGlobals<WatchFlags>(), runtime),
    );
  nounOf('people')
    .command('export')
    .argument('[SUBMISSION_ID...]')
    .summary('Write all data held about a person to a directory')
    .description(
      "Writes all data held about a person to a new directory: export.json, the same as a page to read (export.html), and documents/.\n\nGive the ids of the person's submissions, up to 100, which you find with `sss people find`. Without ids, it exports the submissions of all accounts and environments that have both the email and the telephone. With only one of the two, exactly one submission must have it. On a terminal it asks for them, because flags remain in the shell's history.\n\nOther people may share a telephone number or an address. If the names in the submissions, their corrections or promotions differ, it asks for confirmation, and the export says so. Every read is audited with the purpose.",
    )
    .option('--email <text>', 'Email of the person; asked for if left out')
    .option('--telephone <text>', 'Telephone of the person, in any format; asked for if left out')
    .option('--from-json <file>', 'Read email and telephone from a JSON file, or from standard input with -')
    .requiredOption('--purpose <text>', 'Reason for the audit log, without personal data (required)')
    .requiredOption('--out <directory>', 'A new directory (required)')
    .option('--yes', 'Skip the confirmation if names differ')
    .addHelpText(
      'after',
      '\nExample:\n  sss people export 01998c1e-7d5c-7000-8000-000000000003 --purpose "subject access request 17" --out ./request-17',
    )
    .action((ids: string[], _: unknown, command: Command) =>
      exportPerson(ids, command.optsWithGlobals<ExportFlags>(), runtime),
    );
  program
    .command('queues')
    .description('Show the work queues of all services')
    .addOption(
      new Option('--environment <environment>', 'Environment')
        .choices(Object.keys(ENVIRONMENTS))
        .default('production'),
    )
    .addHelpText('after', '\nExample:\n  sss queues --environment sandbox')
    .action((_: unknown, command: Command) => showQueues(command.optsWithGlobals<QueuesFlags>(), runtime));
  program
    .command('reconcile')
    .summary('Compare the records of all services')
    .description(
      'Compares the ledger and webhook events with submissions, and stored objects with documents. Also reports the backlog of outboxes and consumers. Exits with 9 if a difference is not repaired.',
    )
    .option('--since <time>', 'Compare changes from this time on, at most seven days ago (default: -24h)')
    .option('--until <time>', 'Compare changes before this time (default: -1m)')
    .option('--repair', 'Repair missing ledger lines, lost events and orphaned objects')
    .option('--yes', 'Skip the confirmation')
    .addHelpText('after', '\nExample:\n  sss reconcile --since -7d')
    .action((_: unknown, command: Command) => reconcile(command.optsWithGlobals<ReconcileFlags>(), runtime));
  program
    .command('completion')
    .description('Print a shell completion script')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', '\nExample:\n  source <(sss completion bash)')
    .action((shell: Shell) => runtime.terminal.write(completionScript(shell, program)));
}
