import { build } from '@supplier/lib/runtime/build';
import type { Command } from 'commander';
import type { Terminal } from './output/terminal.ts';

export function addVersionCommand(program: Command, terminal: Terminal): void {
  program
    .command('version')
    .description('Show the version and revision of sss')
    .addHelpText('after', '\nExample:\n  sss version')
    .action(() => {
      const { version, revision } = build();
      terminal.say(`${version} (${revision})`);
    });
}

/**
 * Replaces a lone `--version` with the command `version`. It can't be a flag of the program, because program flags are
 * accepted after every command and would hide the `--version` of a policy.
 */
export const withVersionFlag = (words: readonly string[]): readonly string[] =>
  words.length === 1 && words[0] === '--version' ? ['version'] : words;
