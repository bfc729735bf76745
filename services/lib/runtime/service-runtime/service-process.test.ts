import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const RUNTIME = fileURLToPath(new URL('index.ts', import.meta.url));
/** An error like those of drivers and parsers, which quote the value they failed on. */
const ERROR = `Object.assign(
  new TypeError('Jane Doe has no such field', { cause: new Error('jane@example.com') }),
  { detail: 'Key (email)=(jane@example.com)', value: 'Jane Doe' },
)`;

/** Runs a process with `source` as its start function, and returns its output and exit code. */
async function run(source: string): Promise<{ output: string; exitCode: number }> {
  const program = `
    import { runProcess } from ${JSON.stringify(RUNTIME)};
    runProcess('test', async () => { ${source} });`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  const [exitCode] = await once(child, 'close');
  return { output, exitCode };
}

it.each([
  ['throws', `setTimeout(() => { throw ${ERROR}; }, 1);`],
  ['has an unhandled rejection', `setTimeout(() => void Promise.reject(${ERROR}), 1);`],
  ['cannot start', `throw ${ERROR};`],
  ['throws a string', `setTimeout(() => { throw 'Jane Doe'; }, 1);`],
])('a process that %s logs the failure in its last line, without personal data', async (_how, source) => {
  const { output, exitCode } = await run(source);
  expect(exitCode).toBe(1);
  const last = JSON.parse(output.trimEnd().split('\n').at(-1) ?? '');
  expect(last).toMatchObject({ level: 'fatal', msg: 'process failed', err: expect.anything() });
  expect(output).not.toMatch(/jane/i);
});
