import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { RefusalCode, RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { BillingStatus, Status, type SubmissionStatusSchema } from '@supplier/proto/common/v1/status';
import { FindingKind, ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { ErasureState } from '@supplier/proto/submission/v1/erasures';
import type { ListSubmissionsRequest } from '@supplier/proto/submission/v1/list_submissions';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { DeliveryState, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices, tokenOf } from '../testing/fake-services.ts';
import { storeToken } from './connection/token-store.ts';
import { allCommands } from './declarations/all-commands.ts';
import { flagsOf } from './flags/flags-of.ts';
import { flagAt } from './run-command.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';
const ACCOUNT = '01998c1e-7d5c-7000-8000-000000000001';
const MONTH = [ACCOUNT, '2026-10'];
const DECIDE = ['submissions', 'decide', ID, '--decision', 'accepted', '--reason', 'trading record seen'];

let services: FakeServices | undefined;
afterEach(() => services?.close());

async function play(routes: (router: ConnectRouter) => void): Promise<FakeServices> {
  services = await startFakeServices(routes);
  return services;
}

const rpcs = ({ received }: FakeServices) => received.map(({ rpc }) => rpc);
const billing = (status: Status, billingStatus = BillingStatus.UNSPECIFIED) => ({
  submissionId: ID,
  status,
  billing: { billingStatus },
});
const { ACCEPTED, REJECTED } = Status;
const { PENDING, BILLABLE, NOT_BILLABLE } = BillingStatus;

/** Starts a submission service that decides, and then returns these states in order, repeating the last one. */
const deciding = (...states: MessageInitShape<typeof SubmissionStatusSchema>[]) =>
  play((router) =>
    router.service(SubmissionService, {
      decideSubmission: () => billing(ACCEPTED, PENDING),
      getSubmission: () => (states.length > 1 ? states.shift() : states[0]) ?? {},
    }),
  );

describe('an irreversible command', () => {
  it('makes no call without --yes outside a terminal, and exits with 7', async () => {
    const shell = await deciding();
    const ended = await shell.run(...DECIDE);
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    expect(ended.stderr).toContain('add --yes');
    expect(shell.received).toEqual([]);
  });

  it.each(['no', '', 'yess', 'n'])('makes no call after the answer %j', async (answers) => {
    const shell = await deciding();
    const ended = await shell.runAs({ answers }, ...DECIDE);
    expect(ended).toMatchObject({ code: 7, stdout: '' });
    expect(ended.stderr).toContain('nothing was changed');
    expect(shell.received).toEqual([]);
  });

  it.each(['y', 'yes', ' YES '])(
    'runs after the answer %j to a question that names the environment',
    async (answers) => {
      const shell = await deciding();
      const ended = await shell.runAs({ answers }, ...DECIDE);
      expect(ended.code).toBe(0);
      expect(ended.stderr).toMatch(/cannot be undone\. Context: played\.\nContinue\?/);
      expect(rpcs(shell)).toEqual(['DecideSubmission']);
    },
  );
});

describe('--wait', () => {
  it('polls after the call, which is made once, until billing has decided', async () => {
    const pending = billing(ACCEPTED, PENDING);
    const shell = await deciding(pending, pending, billing(ACCEPTED, BILLABLE));
    const ended = await shell.run(...DECIDE, '--yes', '--wait');
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('accepted, billing billable');
    expect(rpcs(shell)).toEqual(['DecideSubmission', ...Array(3).fill('GetSubmission')]);
  });

  it.each([
    ['not billable', billing(ACCEPTED, NOT_BILLABLE)],
    ['rejected, and therefore never billed', billing(REJECTED)],
  ])('ends for a submission that is %s', async (_, state) => {
    const shell = await deciding(state);
    expect((await shell.run(...DECIDE, '--yes', '--wait')).code).toBe(0);
    expect(rpcs(shell)).toEqual(['DecideSubmission', 'GetSubmission']);
  });

  it('exits with 8 when its timeout passes, after writing the response', async () => {
    const shell = await deciding(billing(ACCEPTED, PENDING));
    const ended = await shell.run(...DECIDE, '--yes', '--wait', '--wait-seconds', '5', '--get', 'status');
    expect(ended).toMatchObject({ code: 8, stdout: 'accepted\n' });
    expect(ended.stderr).toContain('done, but timed out waiting after 5 s: accepted, billing pending');
    expect(rpcs(shell).filter((rpc) => rpc === 'GetSubmission')).toHaveLength(11);
  });

  it('is off by default', async () => {
    const shell = await deciding(billing(ACCEPTED, PENDING));
    expect((await shell.run(...DECIDE, '--yes')).code).toBe(0);
    expect(rpcs(shell)).toEqual(['DecideSubmission']);
  });

  it('ends for an erasure when every service has erased', async () => {
    let looks = 0;
    const shell = await play((router) =>
      router.service(PrivacyService, {
        requestErasure: () => ({ erasureId: ID, state: ErasureState.IN_PROGRESS }),
        getErasure: () => {
          looks += 1;
          return { erasureId: ID, state: looks < 3 ? ErasureState.IN_PROGRESS : ErasureState.COMPLETE };
        },
      }),
    );
    const erase = ['people', 'erase', ID, '--purpose', 'erasure request 18', '--yes', '--wait'];
    const { code, stdout } = await shell.run(...erase);
    expect(code).toBe(0);
    expect(looks).toBe(3);
    // The output is the state after the wait: the certificate.
    expect(stdout).toMatch(/state +complete/);
  });

  it.each([
    [`test ${ID}`, '1 exhausted'],
    [`redeliver-since ${ACCOUNT} --environment sandbox --since -24h`, '1 exhausted, 1 delivered'],
  ])('ends when the events of %s are settled, regardless of others', async (words, counts) => {
    const states = [undefined, DeliveryState.PENDING, DeliveryState.EXHAUSTED];
    const redeliveries = [ID, ACCOUNT].map((id) => ({ submissionId: id, eventId: id }));
    const shell = await play((router) =>
      router.service(WebhookService, {
        sendTestEvent: () => ({ eventId: ID }),
        redeliverSince: () => ({ redeliveries }),
        listEvents: ({ submissionId }) => {
          const state = submissionId === ID ? states.shift() : undefined;
          const other = { eventId: ACCOUNT, state: DeliveryState.DELIVERED };
          return { events: state === undefined ? [other] : [other, { eventId: ID, state }] };
        },
      }),
    );
    const ended = await shell.run('events', ...words.split(' '), '--wait');
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain(counts);
    expect(states).toEqual([]);
  });
});

describe('a paged list', () => {
  /** Starts a service with pages of these sizes. */
  async function listing(sizes: readonly number[]) {
    const requests: ListSubmissionsRequest[] = [];
    const shell = await play((router) =>
      router.service(SubmissionService, {
        listSubmissions: (request) => {
          requests.push(request);
          const page = Number(request.pageToken || 0);
          return {
            submissions: Array.from({ length: sizes[page] ?? 0 }, (_, n) => ({
              submissionId: `${page}-${n}`,
            })),
            nextPageToken: page + 1 < sizes.length ? `${page + 1}` : '',
          };
        },
      }),
    );
    return { shell, requests };
  }
  const LIST = ['submissions', 'list', '--account-id', ACCOUNT, '--csv'];
  const idsIn = (stdout: string) => stdout.split('\r\n').flatMap((line) => /^\d+-\d+/.exec(line) ?? []);

  it('prints one page, and notes how to get the next', async () => {
    const { shell } = await listing([2, 1]);
    const { stdout, stderr } = await shell.run('submissions', 'list');
    expect(stdout).toContain('0-1');
    expect(stdout).not.toContain('page-token');
    expect(stderr).toBe('more results: add --page-token 1, or --all');
    expect((await shell.run('submissions', 'list', '--page-token', '1')).stderr).toBe('');
    expect(shell.received).toHaveLength(2);
  });

  it('prints every page of the same query with --all, including empty ones', async () => {
    const { shell, requests } = await listing([2, 0, 0, 1]);
    const { code, stdout } = await shell.run(...LIST, '--all');
    expect({ code, ids: idsIn(stdout) }).toEqual({ code: 0, ids: ['0-0', '0-1', '3-0'] });
    expect(stdout.match(/^submission_id/gm)).toHaveLength(1);
    expect(requests.map(({ accountId, pageToken }) => [accountId, pageToken])).toEqual(
      ['', '1', '2', '3'].map((token) => [ACCOUNT, token]),
    );
  });

  it('notes how to continue when --all stops early', async () => {
    const { shell } = await listing([10_000, 1]);
    const { stderr } = await shell.run('submissions', 'list', '--all');
    expect(stderr).toBe('more results: add --page-token 1');
  });
});

describe('a stream', () => {
  const streaming = (count: number, failure?: ConnectError) =>
    play((router) =>
      router.service(BillingService, {
        async *streamStatement() {
          for (let n = 0; n < count; n += 1) yield { lines: [{ entryId: `entry-${n}`, pence: n }] };
          if (failure) throw failure;
        },
      }),
    );
  const linesOf = (stdout: string) => stdout.split(/\r?\n/).filter(Boolean);

  it('is written as one CSV table with one head, in order', async () => {
    const shell = await streaming(250);
    const { code, stdout } = await shell.run('statements', 'lines', ...MONTH, '--csv');
    const [head, ...rows] = linesOf(stdout);
    expect(code).toBe(0);
    expect(head).not.toContain('entry-');
    expect(rows.map((row) => /entry-\d+/.exec(row)?.[0])).toEqual(
      Array.from({ length: 250 }, (_, n) => `entry-${n}`),
    );
  });

  it('is written as one line of JSON per message', async () => {
    const shell = await streaming(101);
    const { stdout } = await shell.run('statements', 'lines', ...MONTH, '--json');
    const lines = linesOf(stdout).map((line) => JSON.parse(line));
    expect(lines).toHaveLength(101);
    expect(lines[100]).toMatchObject({ lines: [{ entryId: 'entry-100', pence: 100 }] });
  });

  it('has its CSV head even without messages', async () => {
    const shell = await streaming(0);
    const { code, stdout } = await shell.run('statements', 'lines', ...MONTH, '--csv');
    expect({ code, lines: linesOf(stdout).length }).toEqual({ code: 0, lines: 1 });
  });

  it('writes each change of a watch, and sets no client timeout', async () => {
    const timeouts: (number | undefined)[] = [];
    const shell = await play((router) =>
      router.service(SubmissionService, {
        async *watchQueues(_request, { timeoutMs }) {
          timeouts.push(timeoutMs());
          for (const count of [1n, 2n]) yield { queues: [{ queue: 1, count }] };
        },
      }),
    );
    const { code, stdout } = await shell.run('submissions', 'follow-queues');
    expect({ code, timeouts }).toEqual({ code: 0, timeouts: [undefined] });
    expect(stdout.match(/^QUEUE/gm)).toHaveLength(2);
    expect(stdout).toMatch(/staff_decision +1 .*staff_decision +2 /s);
  });

  it('writes each change of a submission once while it watches', async () => {
    let polls = 0;
    const shell = await play((router) =>
      router.service(SubmissionService, {
        listSubmissions() {
          polls += 1;
          return { submissions: [{ submissionId: ID, status: polls === 1 ? Status.RECEIVED : ACCEPTED }] };
        },
      }),
    );
    const { stdout } = await shell.run('submissions', 'watch', '--for', '6');
    expect(linesOf(stdout)).toEqual([expect.stringContaining('accepted')]);
  });

  it('sends the same times in every call, and writes what was found before a call failed', async () => {
    const periods = new Set<string>();
    const shell = await play((router) =>
      router.service(ReconciliationService, {
        async *reconcile({ resumeToken, since, until }) {
          periods.add([since, until].map((at) => at && timestampMs(at)).join());
          if (resumeToken !== '') throw new ConnectError('away', Code.Unavailable);
          yield { kind: FindingKind.DIFFERENCE, what: 'missing', target: ID };
          yield { kind: FindingKind.ENDED, count: 1n, resumeToken: 'more' };
        },
      }),
    );
    const { code, stdout } = await shell.run('reconcile', '--csv');
    expect({ code, lines: linesOf(stdout).length }).toEqual({ code: 6, lines: 6 });
    expect(periods.size).toBe(1);
  });

  it('notes how many records a service has compared, over several calls', async () => {
    const shell = await play((router) =>
      router.service(ReconciliationService, {
        async *reconcile({ resumeToken }) {
          yield { kind: FindingKind.ENDED, count: 3n, resumeToken: resumeToken ? '' : 'more' };
        },
      }),
    );
    const { stderr } = await shell.run('reconcile');
    expect(stderr.match(/(?<=billing: ).*/g)).toEqual(['3 compared, continuing', '6 compared']);
  });

  it('exits with the code of its failure when it stops early, and keeps what was written', async () => {
    const shell = await streaming(150, new ConnectError('away', Code.Unavailable));
    const { code, stdout } = await shell.run('statements', 'lines', ...MONTH, '--json');
    expect(code).toBe(6);
    expect(linesOf(stdout).length).toBeGreaterThanOrEqual(100);
    expect(rpcs(shell)).toEqual(['StreamStatement']);
  });
});

describe('a failed call', () => {
  const failing = (failure: ConnectError) =>
    play((router) =>
      router.service(SubmissionService, {
        decideSubmission: () => {
          throw failure;
        },
      }),
    );

  it.each([
    [Code.InvalidArgument, 2],
    [Code.OutOfRange, 2],
    [Code.NotFound, 3],
    [Code.AlreadyExists, 4],
    [Code.FailedPrecondition, 4],
    [Code.Aborted, 4],
    [Code.PermissionDenied, 5],
    [Code.Unauthenticated, 5],
    [Code.DeadlineExceeded, 6],
    [Code.ResourceExhausted, 6],
    [Code.Unavailable, 6],
    [Code.Internal, 1],
    [Code.Unimplemented, 1],
  ])('with %s is made once and exits with %s', async (code, exitCode) => {
    const shell = await failing(new ConnectError('it will not do', code));
    expect(await shell.run(...DECIDE, '--yes', '--wait')).toMatchObject({ code: exitCode, stdout: '' });
    expect(rpcs(shell)).toEqual(['DecideSubmission']);
  });

  it('names the invalid flags and the request', async () => {
    const violations = [{ path: 'reason', message: 'holds personal data' }];
    const detail = create(RefusalSchema, { code: RefusalCode.VALIDATION_ERROR, violations });
    const shell = await failing(
      new ConnectError('wrong', Code.InvalidArgument, undefined, [{ desc: RefusalSchema, value: detail }]),
    );
    const { stderr } = await shell.run(...DECIDE, '--yes');
    expect(stderr).toMatch(/wrong \(validation_error\)\n--reason: holds personal data\nrequest sss-/);
  });

  it('exits with 130 after Ctrl-C', async () => {
    const interruption = new AbortController();
    const shell = await play((router) =>
      router.service(SubmissionService, {
        decideSubmission: async (_, { signal }) => {
          interruption.abort();
          await delay(60_000, undefined, { signal }).catch(() => {});
          return {};
        },
      }),
    );
    const ended = await shell.runAs({ signal: interruption.signal }, ...DECIDE, '--yes');
    expect(ended).toEqual({ code: 130, stdout: '', stderr: 'interrupted' });
  });
});

describe('the token of a call', () => {
  it('comes from --token-file, else from SSS_TOKEN, else from the login; without one, no call is made', async () => {
    const shell = await deciding(billing(ACCEPTED, BILLABLE));
    const get = ['submissions', 'get', ID];
    const without = { settings: { token: undefined } };
    expect(await shell.runAs(without, ...get)).toMatchObject({ code: 5, stdout: '' });
    expect(shell.received).toEqual([]);
    storeToken(shell.folder, 'played', tokenOf('of the login'));
    const file = join(shell.folder, 'token');
    writeFileSync(file, `${tokenOf('of the file')}\n`);
    await shell.runAs(without, ...get);
    await shell.run(...get);
    await shell.run(...get, '--token-file', file);
    expect(shell.received.map(({ authorization }) => authorization)).toEqual(
      ['of the login', 'sam', 'of the file'].map((subject) => `Bearer ${tokenOf(subject)}`),
    );
  });
});

const createAccount = allCommands.find(({ name }) => name === 'accounts create');

it.each([
  ['name', '--name'],
  ['terms.caps.accepted_per_day', '--accepted-per-day'],
  ['terms.billingModel', '--billing-model'],
  ['permitted_scopes[1]', '--permitted-scopes'],
  ['terms', '--billing-model, --decision-mode, --application-minting, --pre-underwriting-failure'],
  ['limits', undefined],
  ['nothing.of_the_kind', undefined],
])('the field %s has the label %s', (path, label) => {
  expect(flagAt(createAccount ? flagsOf(createAccount) : [], path)).toBe(label);
});
