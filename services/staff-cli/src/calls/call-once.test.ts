import { Code, ConnectError, type ConnectRouter } from '@connectrpc/connect';
import { AccountService, type IssueCredentialRequest } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';
const TEST = ['events', 'test', ID];
const ISSUE = ['credentials', 'issue', ID, '--environment', 'sandbox', '--scopes', 'read'];
const KEY = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

let services: FakeServices | undefined;
afterEach(() => services?.close());

async function play(routes: (router: ConnectRouter) => void): Promise<FakeServices> {
  services = await startFakeServices(routes);
  return services;
}

/** Starts a webhook service that fails with these codes in order, and then succeeds. */
async function failing(...codes: Code[]) {
  const keys: string[] = [];
  const shell = await play((router) =>
    router.service(WebhookService, {
      sendTestEvent({ idempotencyKey }) {
        keys.push(idempotencyKey);
        const code = codes.shift();
        if (code !== undefined) throw new ConnectError('played', code);
        return { eventId: ID };
      },
    }),
  );
  return { shell, keys };
}

describe('an action with an idempotency key', () => {
  it('uses a new key each time the command is run', async () => {
    const { shell, keys } = await failing();
    expect((await shell.run(...TEST)).code).toBe(0);
    expect((await shell.run(...TEST)).code).toBe(0);
    expect(keys).toEqual([expect.stringMatching(KEY), expect.stringMatching(KEY)]);
    expect(new Set(keys).size).toBe(2);
  });

  it.each([Code.Unavailable, Code.DeadlineExceeded])(
    'is retried once with the same key after code %i',
    async (code) => {
      const { shell, keys } = await failing(code);
      expect((await shell.run(...TEST)).code).toBe(0);
      expect(keys).toEqual([expect.stringMatching(KEY), keys[0]]);
    },
  );

  it('explains how to repeat it with the same key after failing twice', async () => {
    const { shell, keys } = await failing(Code.Unavailable, Code.Unavailable);
    const ended = await shell.run(...TEST);
    expect(ended.code).toBe(6);
    expect(ended.stderr).toContain(`to repeat it safely, add --idempotency-key ${keys[0]}`);
    expect((await shell.run(...TEST, '--idempotency-key', keys[0] ?? '')).code).toBe(0);
    expect(keys).toEqual([expect.stringMatching(KEY), keys[0], keys[0]]);
  });

  it('explains how to repeat it when the service failed, without retrying', async () => {
    const { shell, keys } = await failing(Code.Internal);
    const ended = await shell.run(...TEST);
    expect([ended.code, keys.length]).toEqual([1, 1]);
    expect(ended.stderr).toContain(`--idempotency-key ${keys[0]}`);
  });

  it.each([Code.FailedPrecondition, Code.AlreadyExists, Code.InvalidArgument, Code.PermissionDenied])(
    'is not retried, and suggests no repeat, when it is refused with code %i',
    async (code) => {
      const { shell, keys } = await failing(code);
      const ended = await shell.run(...TEST);
      expect(keys).toHaveLength(1);
      expect(ended.code).not.toBe(0);
      expect(ended.stderr).not.toContain('--idempotency-key');
    },
  );

  it('exits with 9 when the secret was in an earlier answer, and explains what to do', async () => {
    const shell = await play((router) =>
      router.service(AccountService, { issueCredential: () => ({ secretAlreadyShown: true }) }),
    );
    const ended = await shell.run(...ISSUE);
    expect(ended.code).toBe(9);
    expect(ended.stderr).toContain('revoke the credential and issue another');
  });

  it("has no key in the request for a second person's approval", async () => {
    const requests: string[] = [];
    const issued: IssueCredentialRequest[] = [];
    const shell = await play((router) =>
      router
        .service(ApprovalService, {
          requestApproval({ argumentsJson }) {
            requests.push(argumentsJson);
            return { approvalId: ID };
          },
        })
        .service(AccountService, {
          issueCredential(request) {
            issued.push(request);
            return { bearer: 'secret' };
          },
        }),
    );
    await shell.run(...ISSUE, '--ask-approval', 'a colleague looks');
    expect(requests.map((text) => Object.keys(JSON.parse(text)))).toEqual([
      ['accountId', 'environment', 'scopes'],
    ]);
    await shell.run(...ISSUE, '--approval', ID);
    expect(issued).toMatchObject([{ approvalId: ID, idempotencyKey: expect.stringMatching(KEY) }]);
  });
});

it('an action without an idempotency key is called once, and its failure suggests no key', async () => {
  const shell = await play((router) =>
    router.service(WebhookService, {
      enableEndpoint() {
        throw new ConnectError('played', Code.Unavailable);
      },
    }),
  );
  const ended = await shell.run('endpoints', 'enable', ID, '--environment', 'sandbox');
  expect(ended.stderr).not.toContain('--idempotency-key');
  expect(shell.received).toHaveLength(1);
});
