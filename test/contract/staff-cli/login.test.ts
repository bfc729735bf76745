import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { staffShell } from '../../harness/staff-cli.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const shell = staffShell();
afterAll(shell.close);

/** Starts a login, and submits the page that it names as a user would. */
async function login(stated: Record<string, string>) {
  const running = shell.program(join('node_modules', '.bin', 'sss'), ['login']);
  const { url, code } = await waitFor('a code to be shown', async () => {
    const shown = /Open (\S+) [\s\S]*?([A-Z]{4}-[A-Z]{4})/.exec(running.stderr());
    if (!shown) throw new NotYet(running.stderr());
    return { url: shown[1] ?? '', code: shown[2] ?? '' };
  });
  const page = await request(url);
  expect(await page.body.text()).toContain('believes any name');
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ user_code: code, ...stated }).toString();
  const { statusCode } = await request(url, { method: 'POST', headers, body });
  return { statusCode, ended: await running.ended };
}

const VIEWER = { name: 'vera', role: 'staff:viewer' };

it('a login gives the confirmed role, keeps its token readable only by its owner, and ends with logout', async () => {
  const { statusCode, ended } = await login(VIEWER);
  expect(statusCode).toBe(200);
  expect(ended).toMatchObject({ code: 0, stdout: '' });
  expect(ended.stderr).toContain('as vera (staff:viewer) until');

  const [file = ''] = readdirSync(join(shell.folder, 'tokens'));
  expect(statSync(join(shell.folder, 'tokens', file)).mode & 0o777).toBe(0o600);
  expect(statSync(join(shell.folder, 'tokens')).mode & 0o777).toBe(0o700);

  expect((await shell.run('whoami')).stdout).toMatch(/subject +vera[\s\S]*staff:viewer[\s\S]*`sss login`/);
  expect((await shell.run('parked', 'list')).code).toBe(0);
  expect((await shell.run('parked', 'release', '01998c1e-7d5c-7000-8000-000000000003')).code).toBe(5);

  expect((await shell.run('logout')).stderr).toContain('logged out');
  expect((await shell.run('whoami')).stdout).toContain('local-administrator');
});

it('a denied login exits with 5 and stores nothing', async () => {
  const { ended } = await login({ decision: 'deny' });
  expect(ended).toMatchObject({ code: 5, stdout: '' });
  expect(ended.stderr).toContain('denied');
  expect((await shell.run('whoami')).stdout).toContain('local-administrator');
});
