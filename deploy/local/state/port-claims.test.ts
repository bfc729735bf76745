import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { portClaims } from './port-claims.ts';

const PORTS = [19_871, 19_872] as const;

describe('portClaims', () => {
  it('keeps a port from other stacks until it is released', async () => {
    const [first, second] = [portClaims(), portClaims()];
    expect(await first.claim(PORTS[0])).toBe(true);
    expect(await second.claim(PORTS[0])).toBe(false);
    expect(await second.claim(PORTS[1])).toBe(true);
    first.release();
    expect(await second.claim(PORTS[0])).toBe(true);
    second.release();
  });

  it('keeps a port from stacks with other users’ folders, and until its process has ended', async () => {
    const program = `import { portClaims } from '${join(import.meta.dirname, 'port-claims.ts')}';
      console.log(await portClaims().claim(${PORTS[0]}));
      setInterval(() => {}, 1_000);`;
    const other = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      env: { ...process.env, TMPDIR: import.meta.dirname },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      expect(String(await once(other.stdout, 'data')).trim()).toBe('true');
      expect(await portClaims().claim(PORTS[0])).toBe(false);
    } finally {
      other.kill('SIGKILL');
      await once(other, 'exit');
    }
    const claims = portClaims();
    expect(await claims.claim(PORTS[0])).toBe(true);
    claims.release();
  });

  it('refuses the port of any server', async () => {
    const server = createServer().listen(PORTS[1], '127.0.0.1');
    await once(server, 'listening');
    const claims = portClaims();
    expect(await claims.claim(PORTS[1])).toBe(false);
    claims.release();
    server.close();
  });
});
