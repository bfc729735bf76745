import type { Command } from 'commander';
import { bashScript } from './bash.ts';
import { fishScript } from './fish.ts';
import type { FlagWord, Node } from './words.ts';
import { zshScript } from './zsh.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

const scripts: Readonly<Record<Shell, (nodes: readonly Node[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * Returns a shell's script that completes nouns, verbs, flags and enum values. The script starts no process and makes
 * no call.
 */
export const completionScript = (shell: Shell, program: Command): string =>
  scripts[shell](nodesOf(program, ''));

function nodesOf(command: Command, path: string): Node[] {
  const inherited = path === '' ? [] : globalFlags(command);
  const here: Node = {
    path,
    words: command.commands.map((one) => ({ word: one.name(), help: firstLine(one) })),
    flags: [...flagsOf(command), ...inherited, HELP],
  };
  return [here, ...command.commands.flatMap((one) => nodesOf(one, `${path} ${one.name()}`.trim()))];
}

const HELP: FlagWord = { word: '--help', help: 'Show help', takesValue: false, choices: [] };

function globalFlags(command: Command): FlagWord[] {
  let root = command;
  while (root.parent) root = root.parent;
  return flagsOf(root);
}

const flagsOf = (command: Command): FlagWord[] =>
  command.options
    .filter((option) => !option.hidden)
    .map((option) => ({
      word: option.long ?? '',
      help: lineOf(option.description),
      takesValue: option.required,
      choices:
        option.argChoices ??
        /one of ([a-z0-9, _:-]+)/i.exec(option.description)?.[1]?.trim().split(', ') ??
        [],
    }));

const firstLine = (command: Command) => lineOf(command.summary() || command.description());
/** Removes characters with a meaning in any shell, and joins lines. */
const lineOf = (text: string) =>
  text
    .replace(/[^\w ,.;()–-]+/g, ' ')
    .replace(/\s+/g, ' ')
    .slice(0, 100)
    .trim();
