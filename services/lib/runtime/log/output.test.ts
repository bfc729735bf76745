import { spawn } from 'node:child_process';
import { once } from 'node:events';

const LINES = 1_000;
const LOGGER = new URL('./index.ts', import.meta.url).href;

/** Runs a process that logs a thousand lines and then ends as given; returns its output. */
async function printedBy(ending: string): Promise<string[]> {
  const source = `
    import { createLogger } from ${JSON.stringify(LOGGER)};
    const log = createLogger('test');
    for (let count = 0; count < ${LINES}; count += 1) log.info({ count }, 'line');
    ${ending}`;
  const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', source];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(child, 'close');
  return output.split('\n').filter(Boolean);
}

describe('log output', () => {
  it.each([
    ['ends normally', ''],
    ['exits', 'process.exit(1);'],
    ['throws', "throw new Error('x');"],
  ])('is complete and in order when the process %s', async (_way, ending) => {
    const lines = await printedBy(ending);
    expect(lines.map((line) => JSON.parse(line).count)).toEqual(Array.from({ length: LINES }, (_, at) => at));
  });

  it('is complete with a line of level warn, even if the process is killed right after', async () => {
    const lines = await printedBy(`log.warn({}, 'last words'); process.kill(process.pid, 'SIGKILL');`);
    expect(lines).toHaveLength(LINES + 1);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ level: 'warn', msg: 'last words' });
  });

  it('is flushed shortly afterwards while the process runs', async () => {
    const lines = await printedBy("setTimeout(() => process.kill(process.pid, 'SIGKILL'), 2_000);");
    expect(lines).toHaveLength(LINES);
  });

  it('does not end the process when its reader is gone', async () => {
    const source = `
      import { createLogger } from ${JSON.stringify(LOGGER)};
      const log = createLogger('test');
      let count = 0;
      setInterval(() => {
        log.info({ count }, 'line');
        log.error({ count }, 'line');
        if (++count === 100) process.exit(7);
      }, 1);`;
    const args = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', source];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
