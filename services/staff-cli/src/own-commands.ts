import { Argument, type Command, Option } from 'commander';
import { completionScript, type Shell, shells } from './completion/completion.ts';
import { type ExportFlags, exportPerson } from './compositions/export-person.ts';
import { type ReconcileFlags, reconcile } from './compositions/reconcile.ts';
import { ENVIRONMENTS, type QueuesFlags, showQueues } from './compositions/show-queues.ts';
import { showSubmission } from './compositions/show-submission.ts';
import { type WatchFlags, watchSubmissions } from './compositions/watch-submissions.ts';
import { addContextCommands } from './contexts/context-commands.ts';
import { seconds as secondsOf } from './flags/seconds.ts';
import { addLoginCommands } from './login/login-commands.ts';
import type { CommonFlags, Surroundings } from './session.ts';

/** Adds the commands that are not a single RPC. `nounOf` returns the command of a noun. */
export function addOwnCommands(
  program: Command,
  nounOf: (noun: string) => Command,
  surroundings: Surroundings,
): void {
  addLoginCommands(program, surroundings);
  addContextCommands(program, surroundings);
  nounOf('submissions')
    .command('show')
    .summary('Everything about one submission that is not about its applicant.')
    .description(
      'Everything about one submission that is not about its applicant: its state, billing, deliveries and documents, asked of each service. A part that your role may not see says so.',
    )
    .argument('<SUBMISSION_ID>')
    .addHelpText('after', '\nExample:\n  sss submissions show 01998c1e-7d5c-7000-8000-000000000003')
    .action((id: string, _: unknown, command: Command) =>
      showSubmission(id, command.optsWithGlobals<CommonFlags>(), surroundings),
    );
  nounOf('submissions')
    .command('watch')
    .summary('Prints submissions as they arrive and change, among the latest 200.')
    .description(
      'Prints submissions as they arrive and change, every two seconds, among the latest 200: what is older and changes is not seen. Ctrl-C ends it.',
    )
    .option('--account-id <id>', 'of one account alone')
    .addOption(new Option('--for <seconds>', 'ends by itself').argParser(secondsOf))
    .addHelpText('after', '\nExample:\n  sss submissions watch --for 60')
    .action((_: unknown, command: Command) =>
      watchSubmissions(command.optsWithGlobals<WatchFlags>(), surroundings),
    );
  nounOf('people')
    .command('export')
    .argument('[SUBMISSION_ID...]')
    .summary('Writes everything that is held of a person into a directory.')
    .description(
      'Writes everything that is held of a person into a directory of its own: export.json, the same as a page to read (export.html), and documents/. Takes the submissions that are named, up to 100: those that `sss people find` shows and you know to be the person’s. Without them it takes what states both the email and the telephone, in every account and environment, or of one of them alone the only submission that states it, and asks for them at a terminal: flags stay in the history of the shell. Others may share either: where names differ, also between an enquiry and what corrected or promoted it, it asks, and the export says so. Each reading is audited with the purpose.',
    )
    .option('--email <text>', 'of the person; asked for where it is left out')
    .option('--telephone <text>', 'of the person, in any spelling; asked for where it is left out')
    .option(
      '--from-json <file>',
      'takes email and telephone from a file of JSON, or from - for the standard input',
    )
    .requiredOption('--purpose <text>', 'why, for the audit log; without personal data (required)')
    .requiredOption('--out <directory>', 'a new directory (required)')
    .option('--yes', 'do not ask for confirmation where names differ')
    .addHelpText(
      'after',
      '\nExample:\n  sss people export 01998c1e-7d5c-7000-8000-000000000003 --purpose "subject access request 17" --out ./request-17',
    )
    .action((ids: string[], _: unknown, command: Command) =>
      exportPerson(ids, command.optsWithGlobals<ExportFlags>(), surroundings),
    );
  program
    .command('queues')
    .description(
      'shows the work queues of every service for one environment, with the command that lists each',
    )
    .addOption(
      new Option('--environment <environment>', 'whose queues to show')
        .choices(Object.keys(ENVIRONMENTS))
        .default('production'),
    )
    .addHelpText('after', '\nExample:\n  sss queues --environment sandbox')
    .action((_: unknown, command: Command) =>
      showQueues(command.optsWithGlobals<QueuesFlags>(), surroundings),
    );
  program
    .command('reconcile')
    .summary('Compares what the services hold, and prints every difference.')
    .description(
      'Compares the ledger with what suppliers are shown, webhook events with the changes of submissions and stored objects with documents, and says what waits in outboxes and consumers. Ends with 9 when something differs and is not put right.',
    )
    .option('--since <time>', 'changes from then on, at most seven days ago; a day ago unless given')
    .option('--until <time>', 'changes before then; a minute ago unless given')
    .option('--repair', 'have put right what can be: missing lines, lost events, orphans')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExample:\n  sss reconcile --since -7d')
    .action((_: unknown, command: Command) =>
      reconcile(command.optsWithGlobals<ReconcileFlags>(), surroundings),
    );
  program
    .command('completion')
    .description('prints a script that completes commands, flags and values in a shell')
    .addArgument(new Argument('<shell>').choices(shells))
    .addHelpText('after', '\nExample:\n  source <(sss completion bash)')
    .action((shell: Shell) => surroundings.terminal.write(completionScript(shell, program)));
}
