import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { FindingKind, ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import type { RunningStack } from '../../../deploy/local/bring-up.ts';
import { staffTransport } from '../../../deploy/local/seed/staff-clients.ts';

/** A call starts no further batch after half a minute. */
const LONGEST_CALL_MS = 45_000;

/** Returns a service's differences from the submission service, and the number of changes compared. */
export async function reconcile(
  service: 'billing' | 'webhook',
  stack: RunningStack,
  since: Date,
): Promise<{ readonly compared: number; readonly differences: readonly string[] }> {
  const { rpcHttp1, staffToken, tls } = stack.description();
  const transport = staffTransport(rpcHttp1[service] ?? '', () => staffToken, tls);
  const client = createClient(ReconciliationService, transport);
  // The end must be now: by default, changes in progress are excluded.
  const span = { since: timestampFromDate(since), until: timestampFromDate(new Date()) };
  const differences: string[] = [];
  let [resumeToken, compared] = ['', 0];
  do {
    for await (const finding of client.reconcile({ ...span, resumeToken }, { timeoutMs: LONGEST_CALL_MS })) {
      if (finding.kind === FindingKind.DIFFERENCE) differences.push(`${finding.what} ${finding.target}`);
      if (finding.kind !== FindingKind.ENDED) continue;
      compared += Number(finding.count);
      resumeToken = finding.resumeToken;
    }
  } while (resumeToken !== '');
  return { compared, differences };
}
