/**
 * The previous release, built from this repository's history. As a program, builds it in advance so that a test need
 * not.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { observeProgram } from '../../../deploy/commands/setup/run-program.mjs';
import { reasonOf } from '../../../deploy/local/terminal.ts';

const GIT_MS = 60_000;
/** Packages are installed and code is generated, possibly on a busy machine. */
const SET_UP_MS = 600_000;

/** The location of the previous release's sources, ready to run, or the reason why they are unavailable. */
export type PreviousRelease =
  | { readonly commit: string; readonly checkout: string }
  | { readonly missing: string };

/**
 * Builds the release that `deploy/previous-release` names from this repository's history, once; later calls reuse it. A
 * clone without that commit has none.
 */
export async function previousRelease(
  root: string,
  progress: (line: string) => void,
): Promise<PreviousRelease> {
  const commit = readFileSync(join(root, 'deploy', 'previous-release'), 'utf8').trim();
  const checkout = join(root, '.run', 'previous-release', commit);
  const complete = join(checkout, '.complete');
  if (existsSync(complete)) return { commit, checkout };
  const git = await run(root, 'git', ['cat-file', '-e', `${commit}^{commit}`], GIT_MS);
  if (git.code !== 0) return { missing: `this clone has no commit ${commit}: git fetch --unshallow` };

  progress(`building the previous release, ${commit} …`);
  rmSync(checkout, { recursive: true, force: true });
  mkdirSync(checkout, { recursive: true });
  const archive = `${checkout}.tar`;
  await must(root, 'git', ['archive', '--output', archive, commit], GIT_MS);
  await must(root, 'tar', ['--extract', '--file', archive, '--directory', checkout], GIT_MS);
  rmSync(archive);
  // In any layout, this installs its packages and generates the code that isn't committed.
  await must(checkout, 'npm', ['run', '--silent', 'generate'], SET_UP_MS);
  writeFileSync(complete, '');
  return { commit, checkout };
}

async function must(cwd: string, command: string, args: readonly string[], withinMs: number): Promise<void> {
  const { code, output } = await run(cwd, command, args, withinMs);
  if (code !== 0) throw new Error(`cannot build the previous release (${command}): ${output.slice(-500)}`);
}

const run = (cwd: string, command: string, args: readonly string[], withinMs: number) =>
  observeProgram(command, args, { cwd, env: process.env, withinMs });

if (import.meta.main) {
  try {
    const made = await previousRelease(resolve(import.meta.dirname, '../../..'), console.log);
    console.log('missing' in made ? made.missing : `the previous release: ${made.checkout}`);
  } catch (error) {
    console.error(reasonOf(error));
    process.exitCode = 1;
  }
}
