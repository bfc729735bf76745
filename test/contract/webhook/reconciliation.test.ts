import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { enquiry } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { readStack, stackFile } from '../../harness/stack.ts';
import { decided, supplier } from '../../harness/suppliers.ts';
import { delivered } from '../../harness/webhooks.ts';

const COMMAND = new URL('../../../services/webhook/src/reconcile.ts', import.meta.url).pathname;

/** Runs the command as an operator does beside the service. */
function reconcile(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { postgres, rpcHttp1, tls } = readStack();
  const env = {
    SSS_DEPLOYMENT: 'local',
    SSS_DATABASE_URL: Object.assign(new URL(postgres), { pathname: '/webhook' }).href,
    SSS_SUBMISSION_URL: rpcHttp1.submission,
    ...(tls && {
      SSS_TLS_CA_FILE: tls.authority,
      SSS_TLS_CERTIFICATE_FILE: tls.certificate,
      SSS_TLS_KEY_FILE: tls.key,
    }),
    SSS_SERVICE_TOKEN_DIR: join(dirname(stackFile()), 'identity', 'tokens', 'webhook'),
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [COMMAND, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, stdout, stderr });
    });
  });
}

describe('the reconciliation', () => {
  it('finds a delivered change on record, and ends with 1 exactly when something is wrong', async () => {
    const alpha = supplier('alpha');
    const submission = await decided(alpha, enquiry());
    const { envelope } = await delivered(alpha, submission, 'decided');
    const { events } = await staff.webhook().listEvents({ submissionId: submission.submission_id });
    expect(events.map(({ eventId }) => eventId)).toContain(envelope.id);

    const until = new Date().toISOString();
    const { code, stdout } = await reconcile('--since', submission.received_at, '--until', until, '--json');
    const report = JSON.parse(stdout);
    expect(report.changes_checked).toBeGreaterThanOrEqual(1);
    // Others change things at the same moment, and what is that young may be on its way.
    const ours = report.exceptions.filter(
      (exception: { submission_id: string }) => exception.submission_id === submission.submission_id,
    );
    expect(ours).toEqual([]);
    expect(code).toBe(report.exceptions.length > 0 ? 1 : 0);
  });

  it('refuses to look back further than changes are listed', async () => {
    const { code, stderr } = await reconcile('--since', '2020-01-01T00:00:00Z');
    expect(code).toBe(78);
    expect(stderr).toContain('more than seven days ago');
  });
});
