import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const programOf = (service: string) => new URL(`../../${service}/src/reconcile.ts`, import.meta.url).pathname;

describe.each(['billing', 'webhook'])('the command of the %s service', (service) => {
  const run = (...args: string[]) =>
    promisify(execFile)(process.execPath, [programOf(service), ...args], {
      env: {},
      timeout: 20_000,
    }).then(
      ({ stdout }) => ({ code: 0, stdout, stderr: '' }),
      ({ code, stdout, stderr }: { code: number; stdout: string; stderr: string }) => ({
        code,
        stdout,
        stderr,
      }),
    );

  it('says how it is used', async () => {
    const { code, stdout } = await run('--help');
    expect(code).toBe(0);
    expect(stdout).toContain('usage: reconcile --since TIME');
  });

  it('ends with one line and exit code 78 when it cannot run with its arguments', async () => {
    const { code, stderr } = await run('--since', '2020-01-01T00:00:00Z');
    expect([code, stderr]).toEqual([
      78,
      'reconcile: --since is more than seven days ago: changes that old are no longer listed\n',
    ]);
  });
});
