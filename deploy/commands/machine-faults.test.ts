import { once } from 'node:events';
import { createServer } from 'node:net';
import { describeExit, withMachineFault } from './machine-faults.mjs';
import { unreachable } from './setup/registry.mjs';
import { observeProgram } from './setup/run-program.mjs';

describe('what a machine lacks', () => {
  it.each([
    ['FATAL:  could not write lock file "postmaster.pid": No space left on device', /1\.4 GB/],
    ['ERR_PNPM_ENOSPC ENOSPC: no space left on device, write', /1\.4 GB/],
    ['write to stream: disk quota exceeded', /quota of this user/],
    ['initdb: error: out of memory', /1\.3 GiB/],
  ])('is named when a program reports it: %s', (said, needed) => {
    const text = withMachineFault(said);
    expect(text.split('\n')).toEqual([said, expect.stringMatching(needed)]);
    expect(withMachineFault(text)).toBe(text);
  });

  it('is not named for other failures', () => {
    expect(withMachineFault('syntax error')).toBe('syntax error');
    expect([describeExit(1, null), describeExit(null, 'SIGTERM')]).toEqual([
      'exit code 1',
      'killed by SIGTERM',
    ]);
  });

  it('is memory when a program or a child of its shell was killed, and not when it took too long', async () => {
    const options = { cwd: import.meta.dirname, env: process.env };
    const killed = await observeProgram('sh', ['-c', 'kill -9 $$'], options);
    const childKilled = await observeProgram('sh', ['-c', "sh -c 'kill -9 $$'; exit $?"], options);
    const late = await observeProgram('sleep', ['60'], { ...options, withinMs: 100 });
    const memory = 'killed by SIGKILL; unless somebody sent it, memory ran out: the stack needs 1.3 GiB';
    expect([killed, childKilled, late].map(({ reason }) => reason)).toEqual([
      memory,
      memory,
      'took longer than 0.1 s',
    ]);
  });

  it('is a network when the registry can’t be reached', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/npm/`;
    expect(await unreachable(url)).toBeUndefined();
    server.close();
    await once(server, 'close');
    expect(await unreachable(url)).toBe('cannot reach 127.0.0.1 (ECONNREFUSED)');
  });
});
