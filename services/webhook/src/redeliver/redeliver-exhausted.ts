import { actorOf, appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { invalid, requestedId } from '@supplier/lib/rpc/refusal';
import type { RpcCall } from '@supplier/lib/rpc/rpc-server';
import type { AccountId, SubmissionId } from '@supplier/lib/text/ids';
import { formatTimestamp, toDate } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { noEndpoint, refuseUnlessActive } from '../refusals.ts';
import { requestedEnvironment } from '../requested-environment.ts';
import type { Transaction } from '../store/database.ts';
import { type EndpointRecord, findEndpoint } from '../store/endpoints.ts';
import { type InRedeliveryTurn, type Redelivery, redeliverSubmission } from './index.ts';
import { findUndelivered } from './redelivery.sql.ts';

/** How many submissions one call redelivers, and how many of these at once. */
const MAX_SUBMISSIONS = 200;
const AT_ONCE = 8;
/** After this nothing more is begun, so that the answer, with `more` set, comes before callers give up. */
const BUDGET_MS = 2_000;

/**
 * Redelivers every submission with an event of the endpoint that was exhausted or expired at or after a time and that
 * nothing replaces, longest settled first: one new event for each, however many it replaces. At most 200 in a call,
 * fewer when they take longer than two seconds; `more` means: call again. When one fails, finished ones stay marked,
 * nothing more is begun, and the call fails: a repeated call continues where it stopped, with
 * the same idempotency key without a second event for any submission. NOT_FOUND without an endpoint,
 * WRONG_STATE while it is disabled, SERVICE_UNAVAILABLE while another redelivery of it runs. Implements
 * docs/contract.md, section 7.
 */
export function redeliverExhausted(context: Context, inTurn: InRedeliveryTurn): Rpcs['redeliverExhausted'] {
  const { db, clock, idempotent } = context;
  return idempotent.resumable(async (request, call, act) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    if (!request.since) throw invalid('since', 'is required');
    const since = toDate(request.since);
    const endpoint = await findEndpoint(db, accountId, environment);
    if (!endpoint) throw noEndpoint();
    refuseUnlessActive(endpoint);

    const { endpointId } = endpoint;
    return inTurn(endpointId, async () => {
      await act.begin((tx) => appendLine(tx, call, endpoint, { since, at: clock.now() }));
      const found = await findUndelivered(db, endpointId, since, MAX_SUBMISSIONS + 1);
      const first = found.slice(0, MAX_SUBMISSIONS);
      const redeliveries = await redeliverAll(first, (submissionId) =>
        redeliverSubmission(context, submissionId, endpointId, { by: actorOf(call), key: act.id() }),
      );
      return act.end({ redeliveries, more: redeliveries.length < found.length });
    });
  });
}

function appendLine(
  tx: Transaction,
  call: RpcCall,
  { accountId, environment, endpointId }: EndpointRecord,
  { at, since }: { readonly at: Date; readonly since: Date },
): Promise<void> {
  const after = { environment, endpointId, since: formatTimestamp(since) };
  return appendAudit(tx, auditEntry(call, { at, target: endpointId, accountId, after }));
}

/**
 * In the given order, as many as there is time for; rejects with the first failure after all that were begun have
 * ended.
 */
async function redeliverAll(
  submissionIds: readonly SubmissionId[],
  redeliver: (submissionId: SubmissionId) => Promise<Redelivery>,
): Promise<Redelivery[]> {
  const end = performance.now() + BUDGET_MS;
  const waiting = submissionIds.entries();
  const done: { index: number; redelivery: Redelivery }[] = [];
  const failures: unknown[] = [];

  async function work(): Promise<void> {
    for (const [index, submissionId] of waiting) {
      try {
        done.push({ index, redelivery: await redeliver(submissionId) });
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0 || performance.now() > end) return;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
  return done.sort((one, other) => one.index - other.index).map(({ redelivery }) => redelivery);
}
