import { testSurroundings } from '../testing/test-surroundings.ts';
import { exitCodes } from './exit-codes.ts';
import { buildProgram } from './program.ts';

/** Returns the output of a command. Throws if it fails. */
async function said(...args: string[]): Promise<string> {
  const { surroundings, said: lines } = testSurroundings();
  const run = buildProgram(surroundings).parseAsync(args, { from: 'user' });
  await run.catch((error: { readonly exitCode?: number }) => {
    if (error.exitCode !== exitCodes.ok) throw error;
  });
  return lines.join('');
}

it.each([[[]], [['submissions']], [['submissions', 'decide']], [['completion']]])(
  'help %j prints the same as --help',
  async (words: string[]) => {
    const help = await said('help', ...words);
    expect(help).toContain(`Usage: sss ${words.join(' ')}`.trimEnd());
    expect(help).toBe(await said(...words, '--help'));
  },
);

it('help refuses an unknown command, and says where to look', async () => {
  await expect(said('help', 'submissions', 'devour')).rejects.toMatchObject({
    exitCode: exitCodes.usage,
    message: 'there is no command `sss submissions devour`',
    details: ['`sss submissions --help` says which there are'],
  });
});
