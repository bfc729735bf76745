import { DocumentService } from '@supplier/proto/document/v1/document';
import { FindingKind, ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000003';

let [ready, violations] = [true, 0];
let shell: FakeServices;
beforeAll(async () => {
  shell = await startFakeServices((router) =>
    router
      .service(SubmissionService, {
        getQueues: () => ({ queues: [{ queue: Queue.STAFF_DECISION, count: 7n, atLeast: true }] }),
        getSubmission: () => ({ submissionId: ID }),
        listPendingBilling: () => ({ count: 0 }),
      })
      .service(DocumentService, { listWaitingDocuments: () => ({}) })
      .service(WebhookService, {
        listEndpoints: () => ({
          endpoints: [2n, 1n].map((seconds) => ({ endpoint: { failingSince: { seconds } } })),
        }),
        preflightEndpoint: () => ({ ready, findings: ['the name does not resolve'] }),
      })
      .service(PolicyService, {
        validatePolicy: () => ({
          violations: Array.from({ length: violations }, () => ({ message: 'unknown field' })),
        }),
      })
      .service(ReconciliationService, {
        async *reconcile() {
          yield { kind: FindingKind.DIFFERENCE, what: '=missing', target: ID };
          yield { kind: FindingKind.ENDED, count: 1n };
        },
      }),
  );
});
afterAll(() => shell.close());

describe('--csv', () => {
  it('prints queues as a table that fits, and the commands that list them with --wide', async () => {
    const { stdout } = await shell.run('queues');
    expect(stdout).toMatch(/^SERVICE +QUEUE +COUNT +OLDEST_SINCE\n/);
    for (const more of [['--wide'], ['-o', 'wide']]) {
      const wide = await shell.run('queues', ...more);
      expect(wide.stdout).toContain(
        'sss submissions list --queues staff_decision --environment production\n',
      );
    }
  });

  it('prints queues as CSV with plain numbers', async () => {
    const { code, stdout } = await shell.run('queues', '--csv');
    const [head, first] = stdout.split('\r\n');
    expect({ code, head }).toEqual({ code: 0, head: 'service,queue,count,at_least,oldest_since,listed_by' });
    expect(first).toBe(
      'submission,staff_decision,7,yes,,sss submissions list --queues staff_decision --environment production',
    );
    expect(stdout).toContain('webhook,failing endpoints,2,no,1970-01-01 00:00:01Z,sss endpoints list');
  });

  it('prints differences as a table without formulas, and exits with 9', async () => {
    const { code, stdout } = await shell.run('reconcile', '--csv');
    const [head, first] = stdout.split('\r\n');
    expect({ code, head }).toEqual({ code: 9, head: 'service,kind,what,target,count,repair,explanation' });
    expect(first).toBe(`account,difference,'=missing,${ID},,,`);
  });

  it.each([
    ['submissions show', ['submissions', 'show', ID]],
    ['whoami', ['whoami']],
  ])('is refused by %s, which is not a table', async (_, words) => {
    const before = shell.received.length;
    const ended = await shell.run(...words, '--csv');
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain('does not support --csv');
    expect(shell.received).toHaveLength(before);
  });

  it('is refused together with --json by every command', async () => {
    const before = shell.received.length;
    for (const words of [['queues'], ['submissions', 'get', ID], ['whoami']])
      expect(await shell.run(...words, '--json', '--csv')).toMatchObject({ code: 2, stdout: '' });
    expect(shell.received).toHaveLength(before);
  });
});

it('--get prints one value of a combined response, too', async () => {
  expect((await shell.run('queues', '--get', 'queues.0.queue')).stdout).toBe('staff_decision\n');
  expect((await shell.run('submissions', 'show', ID, '--get', 'submission.submission_id')).stdout).toBe(
    `${ID}\n`,
  );
});

describe('a check with a negative answer', () => {
  const PREFLIGHT = ['endpoints', 'preflight', ID, '--environment', 'sandbox'];
  const VALIDATE = ['policies', 'validate', 'decision', '--text', '{}'];

  it('exits with 9 after the answer for endpoints preflight', async () => {
    expect((await shell.run(...PREFLIGHT)).code).toBe(0);
    ready = false;
    const { code, stdout } = await shell.run(...PREFLIGHT);
    expect(code).toBe(9);
    expect(stdout).toContain('the name does not resolve');
  });

  it('exits with 9 after the answer for policies validate', async () => {
    expect((await shell.run(...VALIDATE)).code).toBe(0);
    violations = 1;
    const { code, stdout } = await shell.run(...VALIDATE, '--json');
    expect(code).toBe(9);
    expect(JSON.parse(stdout)).toMatchObject({ violations: [{ message: 'unknown field' }] });
  });
});
