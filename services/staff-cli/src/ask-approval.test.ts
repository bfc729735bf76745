import type { ConnectRouter } from '@connectrpc/connect';
import { ApprovalService, type RequestApprovalRequest } from '@supplier/proto/approval/v1/approval';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { type PlayedServices, playServices } from '../testing/played-services.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';
const ACCOUNT = '01998c1e-7d5c-7000-8000-000000000001';

let services: PlayedServices | undefined;
afterEach(() => services?.close());

async function play(routes: (router: ConnectRouter) => void): Promise<PlayedServices> {
  services = await playServices(routes);
  return services;
}

const rpcs = ({ asked }: PlayedServices) => asked.map(({ rpc }) => rpc);

describe('an approval', () => {
  const LONG = 'x'.repeat(3_000);
  const APPROVE = ['approvals', 'approve', ID, '--service', 'submission'];
  const waiting = () =>
    play((router) => {
      const approval = {
        approvalId: ID,
        action: 'ActivatePolicy',
        ...{ requestedBy: 'ada', requestedIssuer: 'https://people.example' },
        reasons: ['the rules by which leads are decided'],
        lines: [
          { name: 'purpose', after: 'for \u001b[2J retail' },
          { name: 'policy.version', before: 'v1', after: 'v2' },
          { name: 'rules.amount', before: '', after: LONG },
          { name: 'kind', before: 'decision', after: 'decision' },
          { name: 'note', before: 'as agreed\n- policy.version v0' },
        ],
      };
      router.service(ApprovalService, { getApproval: () => approval, approveRequest: () => approval });
    });
  const expectWhole = (text: string) => {
    expect(text).toMatch(/requested_by +ada\n/);
    expect(text).toMatch(/requested_issuer +https:\/\/people\.example\n/);
    expect(text).toContain('takes two people: the rules by which leads are decided\n');
    expect(text).toMatch(/\n- policy\.version +v1\n\+ policy\.version +v2\n/);
    expect(text).toMatch(new RegExp(`\n\\+ rules\\.amount +${LONG}\n`));
    expect(text).toMatch(/\n {2}kind +decision\n/);
    expect(text).toMatch(/\n {2}note +as agreed\\n- policy\.version v0\n/);
    expect(text).not.toContain('\u001b');
  };

  it('is shown whole: who asked, by subject and issuer, and every line as it is and is to be', async () => {
    const shell = await waiting();
    const { code, said } = await shell.run('approvals', 'show', ID, '--service', 'submission');
    expect(code).toBe(0);
    expectWhole(said);
  });

  it.each([
    ['no', 7, ['GetApproval']],
    ['yes', 0, ['GetApproval', 'ApproveRequest']],
  ])(
    'is shown whole before somebody who is asked whether to give it says %s',
    async (answers, code, calls) => {
      const shell = await waiting();
      const ended = await shell.runAs({ answers }, ...APPROVE);
      expect(ended.code).toBe(code);
      const [shown = '', question] = ended.noted.split(/(?=This lets it be done)/);
      expectWhole(shown);
      expect(question).toContain('Go on?');
      expect(rpcs(shell)).toEqual(calls);
    },
  );
});

describe('--ask-approval', () => {
  it('asks the service of the act for exactly this, and does nothing yet', async () => {
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
    expect(ended).toEqual({ code: 0, said: `${ID}\n`, noted: '' });
    expect(rpcs(shell)).toEqual(['RequestApproval']);
    expect(asked).toMatchObject([{ action: 'RequestErasure', purpose: 'a colleague looks' }]);
    expect(JSON.parse(asked[0]?.argumentsJson ?? '')).toEqual({
      submissionIds: [ID, ACCOUNT],
      purpose: 'erasure request 18',
    });
  });
});
