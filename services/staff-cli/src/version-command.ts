import { build } from '@supplier/lib/runtime/build';
import type { Command } from 'commander';
import type { Terminal } from './output/terminal.ts';

/** Adds `sss version`. */
export function addVersionCommand(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('prints the version of sss and the revision it was built from, as `sss --version` does')
    .addHelpText('after', '\nExample:\n  sss version')
    .action(() => {
      const { version, revision } = build();
      terminal.say(`${version} (${revision})`);
    });
}

/**
 * The words of a command line, in which `--version` alone is the command `version`. It is no flag of the program: those are
 * understood after every command, and there it would hide the `--version` of a policy.
 */
export const withVersionFlag = (words: readonly string[]): readonly string[] =>
  words.length === 1 && words[0] === '--version' ? ['version'] : words;
