import { PassThrough } from 'node:stream';
import { Code, ConnectError } from '@connectrpc/connect';
import { visible, visibleLines } from '@supplier/lib/text/visible';
import { AccountService } from '@supplier/proto/account/v1/account';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';
import { processTerminal } from './terminal.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';
/** A colour, a title set by OSC and by its C1 form, a line end, a direction override, an invisible mark, and a tag. */
const HOSTILE =
  'A\u001b[31mB\u001b]0;title\u0007C\u009d0;title\u009cD\nE\r\u202eF\u2066G\u200bH\ufeffI\u2028J\u007fK\u{e0041}L';
const UNSEEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones that must not be printed.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40/;

let shell: FakeServices;
beforeAll(async () => {
  shell = await startFakeServices((router) =>
    router
      .service(AccountService, {
        getAccount: () => ({ accountId: ID, name: HOSTILE, revision: 1n }),
        listAccounts: () => ({ accounts: [{ accountId: ID, name: HOSTILE }] }),
        updateAccount: () => {
          throw new ConnectError(HOSTILE, Code.FailedPrecondition);
        },
      })
      .service(SubmissionService, {
        getSubmission: () => ({ submissionId: ID, externalReference: HOSTILE }),
      })
      .service(WebhookService, {
        listEvents: () => {
          throw new ConnectError(HOSTILE, Code.PermissionDenied);
        },
      }),
  );
});
afterAll(() => shell.close());

describe('text from other people', () => {
  it.each([
    ['in a table', ['accounts', 'list']],
    ['in a response', ['accounts', 'show', ID]],
    ['in CSV', ['accounts', 'list', '--csv']],
    ['in JSON', ['accounts', 'show', ID, '--json']],
    ['in one value of a response', ['accounts', 'show', ID, '--get', 'name']],
    ['in a response combined from several services', ['submissions', 'show', ID]],
    ['in the JSON of several services', ['submissions', 'show', ID, '--json']],
    ['in an error', ['accounts', 'update', ID, '--state', 'active']],
  ])('is escaped %s', async (_, words) => {
    const { stdout, stderr } = await shell.run(...words);
    expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(UNSEEN);
    expect(stderr).not.toMatch(UNSEEN);
    expect(`${stdout}${stderr}`).toContain('\\u001b[31m');
  });

  it('decodes from JSON to the original', async () => {
    const { stdout } = await shell.run('accounts', 'show', ID, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ name: HOSTILE });
  });
});

describe('--raw', () => {
  it('writes one value byte by byte to a file or a pipe', async () => {
    expect(await shell.run('accounts', 'show', ID, '--get', 'name', '--raw')).toEqual({
      code: 0,
      stdout: HOSTILE,
      stderr: '',
    });
  });

  it.each([
    ['to a terminal', { width: 80 }, ['--get', 'name', '--raw']],
    ['without --get', {}, ['--raw']],
  ])('is refused %s, before any call', async (_, sitting, flags) => {
    const before = shell.received.length;
    const ended = await shell.runAs(sitting, 'accounts', 'show', ID, ...flags);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(shell.received).toHaveLength(before);
  });
});

it("the process's terminal escapes text in every output method", async () => {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end();
  const terminal = processTerminal({ stdin, stdout, stderr } as unknown as NodeJS.Process);
  terminal.say(HOSTILE);
  terminal.lines([HOSTILE, HOSTILE]);
  terminal.write(HOSTILE);
  await terminal.flushed(HOSTILE);
  terminal.note(HOSTILE);
  await terminal.ask(HOSTILE, new AbortController().signal);
  const written = `${stdout.read()}${stderr.read()}`;
  expect(written).not.toMatch(UNSEEN);
  expect(written.split('\\u001b[31m')).toHaveLength(8);
});

it.each([
  ...['\u034f', '\u115f', '\u1160', '\u2800', '\u3164', '\ufe0f', '\uffa0', '\u{1d173}', '\u{e0100}'],
])('the invisible character %j is escaped', (blank) => {
  expect(visible(`a${blank}b`)).toMatch(/^a(?:\\u[0-9a-f]{4})+b$/);
  expect(JSON.parse(`"${visible(blank)}"`)).toBe(blank);
});

it('a multi-line text keeps its line ends, and a single line has none', () => {
  expect(visible('a\r\nb\tc')).toBe('a\\r\\nb\\tc');
  expect(visibleLines('a\r\nb\tc\rd')).toBe('a\r\nb\tc\\rd');
});
