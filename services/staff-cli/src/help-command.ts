import type { Command } from 'commander';
import { CommandFailure, exitCodes } from './exit-codes.ts';

/** Adds `sss help NOUN VERB`, which prints the same as `sss NOUN VERB --help`. */
export function addHelpCommand(program: Command): void {
  program
    .command('help')
    .description('Show help for a command')
    .argument('[words...]')
    .addHelpText('after', '\nExample:\n  sss help submissions decide')
    .action((words: string[]) => commandAt(program, words).outputHelp());
}

/** Returns the command that these words name. Throws CommandFailure. */
function commandAt(program: Command, words: readonly string[]): Command {
  let at = program;
  for (const word of words) {
    const inside = at.commands.find((command) => command.name() === word);
    if (!inside)
      throw new CommandFailure(exitCodes.usage, `unknown command \`sss ${words.join(' ')}\``, [
        `run \`sss${pathOf(at)} --help\` for the available commands`,
      ]);
    at = inside;
  }
  return at;
}

const pathOf = (command: Command): string =>
  command.parent ? `${pathOf(command.parent)} ${command.name()}` : '';
