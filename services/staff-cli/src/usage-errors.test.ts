import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Code, ConnectError } from '@connectrpc/connect';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { UnsecuredJWT } from 'jose';
import { startFakeServices } from '../testing/fake-services.ts';
import { runSss } from '../testing/run-sss.ts';
import { testRuntime } from '../testing/test-runtime.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';
const SERVICES = ['account', 'submission', 'document', 'billing', 'webhook'];
const AWAY = Object.fromEntries(SERVICES.map((name) => [name, 'http://services.example:80']));

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sss-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each([
  [['acounts', 'list'], 'Did you mean accounts?'],
  [['accounts', 'creat'], 'Did you mean create?'],
  [['accounts', 'create', '--nam', 'x'], 'Did you mean --name?'],
])('a mistyped command gets a suggestion: %j', async (args, suggestion) => {
  await expect(runSss({ folder }, args)).rejects.toThrow(suggestion);
});

describe('exit code 2: an invalid command', () => {
  it.each<[string, string[], string]>([
    ['an unknown value', ['endpoints', 'show', ID, '--environment', 'test'], 'one of sandbox, production'],
    ['an invalid id', ['events', 'show', 'alpha'], 'EVENT_ID must be a UUID'],
    ['a missing stack', ['whoami', '--stack', '/nowhere/stack.json'], 'no local stack'],
  ])('is returned for %s', async (_, args, says) => {
    const ended = await runSss({ folder }, args);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
  });

  it.each([
    ['without TLS', { services: AWAY }, 'must use https'],
    ['with an unknown key', { services: AWAY, tokn: 'x' }, 'tokn'],
  ])('is returned for a context %s', async (_, far, says) => {
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ contexts: { far } }));
    const ended = await runSss({ folder }, ['whoami', '--context', 'far']);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
  });
});

describe('exit code 5: not permitted', () => {
  const expired = new UnsecuredJWT({ roles: ['staff:admin'] }).setExpirationTime(1).encode();

  it.each([
    ['an expired token', expired, 'SSS_TOKEN expired at', []],
    ['an invalid token', 'x', 'is not a JWT', []],
    ['a rejected token', undefined, 'rejected the token', ['GetSubmission']],
  ])('is returned for %s, which suggests `sss login`', async (_, token, says, calls) => {
    const refused = new ConnectError('no', Code.Unauthenticated);
    const services = await startFakeServices((router) =>
      router.service(SubmissionService, { getSubmission: () => Promise.reject(refused) }),
    );
    const settings = token === undefined ? {} : { token };
    const { code, stdout, stderr } = await services.runAs({ settings }, 'submissions', 'get', ID);
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(says);
    expect(stderr).toContain('sss login');
    expect(services.received.map(({ rpc }) => rpc)).toEqual(calls);
    await services.close();
  });

  it.each([
    ['is returned from the second in which a token expires', 0, 5],
    ['is not returned one second earlier', 1, 0],
  ])('%s', async (_, secondsLeft, exitCode) => {
    const now = testRuntime().runtime.now().getTime() / 1_000;
    const token = new UnsecuredJWT({ exp: now + secondsLeft }).encode();
    const services = Object.fromEntries(SERVICES.map((name) => [name, 'https://services.example']));
    writeFileSync(join(folder, 'config.json'), JSON.stringify({ contexts: { far: { services } } }));
    expect((await runSss({ folder, token, context: 'far' }, ['whoami'])).code).toBe(exitCode);
  });
});
