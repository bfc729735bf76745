import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const CHECKOUT = resolve(import.meta.dirname, '../../..');
const folder = mkdtempSync(join(tmpdir(), 'sss-main-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a line of a shell in the checkout, as a user without a configuration. */
const sh = (line: string) => {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH: `${join(CHECKOUT, 'node_modules/.bin')}:${PATH}`, HOME, SSS_CONFIG_DIR: folder };
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: CHECKOUT, env, encoding: 'utf8' });
  return { status, stdout, stderr };
};

describe('output that cannot be written', () => {
  (existsSync('/dev/full') ? it : it.skip).each(['sss --help', 'sss contexts list --csv'])(
    'is reported, and fails: %s',
    (command) => {
      const { status, stderr } = sh(`${command} > /dev/full`);
      expect({ status, stderr }).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^error: cannot write the output: .*ENOSPC.*\n {2}If the command changes/,
        ),
      });
    },
  );

  it('is no failure when its reader has read enough', () => {
    expect(sh('{ sss completion bash; echo "$?" >&2; } | true').stderr).toBe('0\n');
  });

  it('does not matter for notes', () => {
    expect(sh('sss contexts use none 2> /dev/full').status).toBe(2);
  });
});

it('an unknown command exits with 2, and so does a noun without a verb, which prints its usage', () => {
  expect(sh('sss acounts list')).toMatchObject({ status: 2, stdout: '' });
  const { status, stderr } = sh('sss accounts');
  expect([status, stderr]).toEqual([2, expect.stringContaining('Usage: sss accounts')]);
});

it('a file that cannot be read is reported in one line', () => {
  const { status, stderr } = sh(`SSS_CONFIG_DIR=/dev/null/sss sss contexts add a --url https://a.example`);
  expect([status, stderr.trim().split('\n').length]).toEqual([expect.any(Number), 1]);
  expect(stderr).toMatch(/^error: /);
});

it('the command in each guide passes every flag to sss', () => {
  const commands = ['README.md', 'docs/staff.md', 'docs/install.md'].map((page) => {
    const found = new Set(readFileSync(join(CHECKOUT, page), 'utf8').match(/np[x] .*?\bsss\b/g));
    expect([page, found.size]).toEqual([page, 1]);
    return [...found].join();
  });
  for (const command of new Set(commands)) expect(sh(`${command} --help`).stdout).toMatch(/^Usage: sss /);
});
