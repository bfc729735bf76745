import { testRuntime } from '../testing/test-runtime.ts';
import { exitCodes } from './exit-codes.ts';
import { buildProgram } from './program.ts';

/** Returns the output of a command. Throws if it fails. */
async function helpText(...args: string[]): Promise<string> {
  const { runtime, stdout: lines } = testRuntime();
  const run = buildProgram(runtime).parseAsync(args, { from: 'user' });
  await run.catch((error: { readonly exitCode?: number }) => {
    if (error.exitCode !== exitCodes.ok) throw error;
  });
  return lines.join('');
}

it.each([[[]], [['submissions']], [['submissions', 'decide']], [['completion']]])(
  'help %j prints the same as --help',
  async (words: string[]) => {
    const help = await helpText('help', ...words);
    expect(help).toContain(`Usage: sss ${words.join(' ')}`.trimEnd());
    expect(help).toBe(await helpText(...words, '--help'));
  },
);

it('help refuses an unknown command, and names the help to read', async () => {
  await expect(helpText('help', 'submissions', 'devour')).rejects.toMatchObject({
    exitCode: exitCodes.usage,
    message: 'unknown command `sss submissions devour`',
    details: ['run `sss submissions --help` for the available commands'],
  });
});
