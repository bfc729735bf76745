import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newAccount } from '../../harness/accounts.ts';
import { readStack } from '../../harness/stack.ts';
import { type Ended, staffShell } from '../../harness/staff-cli.ts';
import { token } from '../../harness/tokens.ts';

const EVERY_SERVICE = ['account', 'submission', 'document', 'billing', 'webhook'];
const shell = staffShell();
afterAll(shell.close);

const as = (role: string, expiresIn = 60) => ({
  env: { SSS_TOKEN: token({ roles: [role], audience: EVERY_SERVICE, expiresIn }) },
});

function expectRefusal({ code, stdout, stderr }: Ended, wanted: number, ...words: (string | RegExp)[]): void {
  expect({ code, stdout }).toEqual({ code: wanted, stdout: '' });
  for (const word of words) expect(stderr).toMatch(word);
  // Users must see sentences, not stack traces.
  expect(stderr).not.toMatch(/\bat .*\.ts:/);
}

describe('exit code 2: an invalid command', () => {
  it.each<[string, string[], string]>([
    ['an unknown noun', ['acounts', 'list'], 'Did you mean accounts?'],
    ['an unknown verb', ['accounts', 'creat'], 'Did you mean create?'],
    ['an unknown flag', ['accounts', 'create', '--nam', 'x'], 'Did you mean --name?'],
    ['a noun without a verb', ['accounts'], 'Usage: sss accounts'],
    [
      'an unknown value',
      ['endpoints', 'show', randomUUID(), '--environment', 'test'],
      'one of sandbox, production',
    ],
    ['an invalid id', ['accounts', 'show', 'alpha'], 'ACCOUNT_ID must be a UUID'],
    ['a missing stack', ['whoami', '--stack', '/nowhere/stack.json'], 'no local stack'],
    ['an unknown context', ['whoami', '--context', 'nowhere'], 'no context "nowhere"'],
  ])('is returned for %s', async (_, args, says) => expectRefusal(await shell.run(...args), 2, says));

  it('is returned for an invalid configuration, and for one without TLS', async () => {
    const services = Object.fromEntries(EVERY_SERVICE.map((name) => [name, 'http://services.example:80']));
    const config = (contexts: object) =>
      writeFileSync(join(shell.folder, 'config.json'), JSON.stringify({ contexts }));
    config({ far: { services } });
    expectRefusal(await shell.run('whoami', '--context', 'far'), 2, 'must use https');
    config({ far: { services, tokn: 'x' } });
    expectRefusal(await shell.run('whoami', '--context', 'far'), 2, 'is invalid', 'tokn');
  });

  it('is returned for an error that only the service can detect, and names the flag', async () => {
    const { accountId } = await newAccount();
    const url = 'ftp://broker.example/';
    const ended = await shell.run('endpoints', 'create', accountId, '--environment', 'sandbox', '--url', url);
    expectRefusal(ended, 2, /--url/);
  });
});

describe('exit codes 3, 4 and 7: refusals by services and users', () => {
  it('3 is returned when the resource does not exist', async () => {
    expectRefusal(await shell.run('accounts', 'show', randomUUID()), 3, 'not_found', /request sss-/);
  });

  it('4 is returned when the current state does not allow it', async () => {
    const { accountId } = await newAccount();
    const create = [
      'endpoints',
      'create',
      accountId,
      '--environment',
      'sandbox',
      '--url',
      'https://127.0.0.1:9/',
    ];
    expect((await shell.run(...create)).code).toBe(0);
    expectRefusal(await shell.run(...create), 4, 'already_exists');
  });

  it('7 is returned for an irreversible command without a terminal or --yes, and nothing is changed', async () => {
    const { accountId, issue } = await newAccount();
    const { credentialId } = await issue();
    expectRefusal(await shell.run('credentials', 'revoke', credentialId), 7, 'add --yes');
    const kept = await shell.run('credentials', 'list', accountId, '--get', 'credentials.0.credential_id');
    expect(kept.stdout.trim()).toBe(credentialId);
    const { code, stdout } = await shell.run(
      'credentials',
      'revoke',
      credentialId,
      '--yes',
      '--get',
      'revoked_at',
    );
    expect({ code, stdout: stdout.slice(0, 2) }).toEqual({ code: 0, stdout: '20' });
  });
});

describe('exit code 5: not permitted', () => {
  it('is returned for a role without permission, with the roles that have it', async () => {
    const ended = await shell.runWith(as('staff:viewer'), 'credentials', 'revoke', randomUUID(), '--yes');
    expectRefusal(ended, 5, 'does not permit this', 'staff:operator', 'sss whoami');
  });

  it('is returned for an expired token and suggests `sss login`, without a request', async () => {
    const ended = await shell.runWith(as('staff:admin', -60), 'accounts', 'show', randomUUID());
    expectRefusal(ended, 5, 'SSS_TOKEN expired at', 'sss login');
  });

  it('is returned for an invalid token, and for one that the service rejects', async () => {
    expectRefusal(await shell.runWith({ env: { SSS_TOKEN: 'x' } }, 'parked', 'list'), 5, 'is not a JWT');
    const strange = {
      env: { SSS_TOKEN: token({ roles: ['staff:admin'], audience: EVERY_SERVICE, issuer: 'urn:x' }) },
    };
    expectRefusal(await shell.runWith(strange, 'parked', 'list'), 5, 'rejected the token', 'sss login');
  });

  it('never shows the token', async () => {
    const { staffToken } = readStack();
    const { stdout, stderr } = await shell.run('whoami', '--json');
    expect(stdout).toContain('local-administrator');
    expect(`${stdout}${stderr}`).not.toContain(staffToken.slice(-20));
  });
});

it('exit code 6 is returned when a service is unavailable', async () => {
  const services = Object.fromEntries(EVERY_SERVICE.map((name) => [name, 'http://127.0.0.1:9']));
  writeFileSync(join(shell.folder, 'config.json'), JSON.stringify({ contexts: { away: { services } } }));
  const ended = await shell.runWith(as('staff:viewer'), 'parked', 'list', '--context', 'away');
  expectRefusal(ended, 6, 'the submission service at http://127.0.0.1:9 is not available');
});
