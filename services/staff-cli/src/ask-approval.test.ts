import type { ConnectRouter } from '@connectrpc/connect';
import { ApprovalService, type RequestApprovalRequest } from '@supplier/proto/approval/v1/approval';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { type FakeServices, startFakeServices } from '../testing/fake-services.ts';
import { widthOf } from './output/table.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';
const ACCOUNT = '01998c1e-7d5c-7000-8000-000000000001';

let services: FakeServices | undefined;
afterEach(() => services?.close());

async function play(routes: (router: ConnectRouter) => void): Promise<FakeServices> {
  services = await startFakeServices(routes);
  return services;
}

const rpcs = ({ received }: FakeServices) => received.map(({ rpc }) => rpc);

describe('an approval', () => {
  const DIGEST = '5e'.repeat(32);
  const LONG = 'x'.repeat(3_000);
  const APPROVE = ['approvals', 'approve', ID, '--service', 'submission'];
  const waiting = () =>
    play((router) => {
      const approval = {
        approvalId: ID,
        action: 'ActivatePolicy',
        ...{ requestedBy: 'ada', requestedIssuer: 'https://people.example' },
        reasons: ['it changes the rules that decide submissions'],
        lines: [
          { name: 'purpose', after: 'for \u001b[2J retail' },
          { name: 'policy.version', before: 'v1', after: 'v2' },
          { name: 'rules.amount', before: '', after: LONG },
          { name: 'kind', before: 'decision', after: 'decision' },
          { name: 'note', before: 'as agreed\n- policy.version v0' },
          { name: 'forged', before: `x${' '.repeat(60)}+ policy.version  v3${'漢'.repeat(60)}+ a b\u3000c` },
        ],
        sha256: DIGEST,
      };
      router.service(ApprovalService, { getApproval: () => approval, approveRequest: () => approval });
    });
  /** Joins the lines that were wrapped to fit the terminal, and checks that nothing is missing. */
  const expectWhole = (wrapped: string) => {
    const text = wrapped.replaceAll('\n│ ', '');
    expect(text).toMatch(/requested_by +ada\n/);
    expect(text).toMatch(/requested_issuer +https:\/\/people\.example\n/);
    expect(text).toContain('needs approval because: it changes the rules that decide submissions\n');
    expect(text).toMatch(/\n- policy\.version +v1\n\+ policy\.version +v2\n/);
    expect(text).toMatch(new RegExp(`\n\\+ rules\\.amount +${LONG}\n`));
    expect(text).toMatch(/\n {2}kind +decision\n/);
    expect(text).toMatch(/\n {2}note +as agreed\\n- policy\.version v0\n/);
    expect(text).not.toContain('\u001b');
  };

  it("is shown in full: the requester's subject and issuer, and every line before and after", async () => {
    const shell = await waiting();
    const { code, stdout } = await shell.run('approvals', 'show', ID, '--service', 'submission');
    expect(code).toBe(0);
    expectWhole(stdout);
  });

  it('has no forged line at any terminal width, and no invisible blank', async () => {
    const shell = await waiting();
    for (const width of [20, 40, 80, 81]) {
      const { stdout } = await shell.runAs({ width }, 'approvals', 'show', ID, '--service', 'submission');
      for (const line of stdout.split('\n')) {
        expect(widthOf(line)).toBeLessThanOrEqual(width);
        expect(line).toMatch(
          /^(?:│ |[-+ ] (?:purpose|policy|rules|kind|note|forged)|- before|needs approval|[a-z_0-9]+ +\S|$)/,
        );
      }
      expectWhole(stdout);
      expect(stdout.replaceAll('\n│ ', '')).toContain(`x${'␣'.repeat(60)}+ policy.version␣␣v3`);
      expect(stdout.replaceAll('\n│ ', '')).toContain('a b\\u3000c');
    }
  });

  it.each([
    ['without the digest of the approval', [], 2, []],
    ['with a different digest', ['--sha256', 'ab'.repeat(32)], 4, ['GetApproval']],
    ['with the digest of the approval', ['--sha256', DIGEST], 0, ['GetApproval', 'ApproveRequest']],
  ])('is accepted with --yes only if --sha256 matches the approval: %s', async (_, flags, code, calls) => {
    const shell = await waiting();
    expect((await shell.run(...APPROVE, '--yes', ...flags)).code).toBe(code);
    expect(rpcs(shell)).toEqual(calls);
  });

  it.each([
    ['no', 7, ['GetApproval']],
    ['yes', 0, ['GetApproval', 'ApproveRequest']],
  ])('is shown in full before the user answers %s', async (answers, code, calls) => {
    const shell = await waiting();
    const ended = await shell.runAs({ answers }, ...APPROVE);
    expect(ended.code).toBe(code);
    const [shown = '', question] = ended.stderr.split(/(?=The action can then be performed)/);
    expectWhole(shown);
    expect(question).toContain('Continue?');
    expect(rpcs(shell)).toEqual(calls);
  });
});

describe('--ask-approval', () => {
  it("requests approval of exactly this request from the action's service, and makes no other call", async () => {
    const asked: RequestApprovalRequest[] = [];
    const shell = await play((router) =>
      router
        .service(ApprovalService, {
          requestApproval: (request) => {
            asked.push(request);
            return { approvalId: ID };
          },
        })
        .service(PrivacyService, { requestErasure: () => ({}) }),
    );
    const erase = ['people', 'erase', ID, ACCOUNT, '--purpose', 'erasure request 18'];
    const ended = await shell.run(...erase, '--ask-approval', 'a colleague looks', '--get', 'approval_id');
    expect(ended).toEqual({ code: 0, stdout: `${ID}\n`, stderr: '' });
    expect(rpcs(shell)).toEqual(['RequestApproval']);
    expect(asked).toMatchObject([{ action: 'RequestErasure', purpose: 'a colleague looks' }]);
    expect(JSON.parse(asked[0]?.argumentsJson ?? '')).toEqual({
      submissionIds: [ID, ACCOUNT],
      purpose: 'erasure request 18',
    });
  });
});
