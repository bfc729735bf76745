import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { testRuntime } from '../../testing/test-runtime.ts';
import { buildProgram } from '../program.ts';
import { completionScript, shells } from './completion.ts';

const program = buildProgram(testRuntime().runtime);
const has = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

/** Returns bash's completions for the last of these words. */
function bashOffers(...words: string[]): string[] {
  const script = `${completionScript('bash', program)}
COMP_WORDS=(sss ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _sss; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\n').filter(Boolean);
}

describe('completion in bash', () => {
  it.each([
    [['end'], ['endpoints']],
    [['endpoints', 'rot'], ['rotate-secret']],
    [['endpoints', 'rotate-secret', '--env'], ['--environment']],
    [['endpoints', 'rotate-secret', '--environment', 's'], ['sandbox']],
    [['submissions', 'decide', '--decision', 'r'], ['rejected']],
    [
      ['submissions', 'decide', 'some-id', '--wait'],
      ['--wait', '--wait-seconds'],
    ],
    [['accounts', 'show', '--js'], ['--json']],
    [['credentials', 'issue', 'some-id', '--environment', 'p'], ['production']],
    [['accounts', 'list', '--output', 'w'], ['wide']],
    [['approvals', 'list', '--service', 'a'], ['account']],
    [['completion', 'x'], []],
  ])('completes %j to %j', (words, offers) => expect(bashOffers(...words)).toEqual(offers));
});

// Skip shells that are not installed. With CI=true, none is skipped.
for (const [shell, flag] of [
  ['bash', '-n'],
  ['zsh', '-n'],
  ['fish', '--no-execute'],
] as const)
  (process.env.CI === 'true' || has(shell) ? it : it.skip)(
    `${shell} can read its script, where it is installed`,
    () => {
      const folder = mkdtempSync(join(tmpdir(), 'completion-'));
      const file = join(folder, 'script');
      writeFileSync(file, completionScript(shell, program));
      const { status, stderr } = spawnSync(shell, [flag, file], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
  );

it.each(shells.map((shell) => [shell]))('%s executes nothing from the contracts', (shell) => {
  const words = completionScript(shell, program).match(/\$\(.*?\)/g) ?? [];
  expect(
    words.filter((word) => !/^\$\((?:compgen|count|commandline)/.test(word) && !word.startsWith('$((')),
  ).toEqual([]);
});
