import { testRuntime } from '../testing/test-runtime.ts';
import { buildProgram } from './program.ts';
import { withVersionFlag } from './version-command.ts';

it('--version prints the version, and that sss runs from its sources', async () => {
  const { runtime, stdout } = testRuntime();
  await buildProgram(runtime).parseAsync(withVersionFlag(['--version']), { from: 'user' });
  expect(stdout.join('')).toMatch(/^\d+\.\d+\.\d+ \(source\)\n$/);
});

it('--version after a command remains the version of a policy', () => {
  const words = ['policies', 'show', 'decision', '--version', 'v7'];
  expect(withVersionFlag(words)).toEqual(words);
});
