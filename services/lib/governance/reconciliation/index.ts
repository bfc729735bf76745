import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import {
  type FindingSchema,
  FindingKind as Kind,
  type ReconcileRequest,
  ReconciliationService,
  RepairOutcome,
} from '@supplier/proto/reconciliation/v1/reconciliation';
import { invalid } from '../../rpc/refusal/index.ts';
import type { RpcCall } from '../../rpc/rpc-server/index.ts';
import { type Clock, formatTimestamp, toDate } from '../../text/time/index.ts';
import { appendAudit, auditEntry } from '../audit/index.ts';
import { readBacklog, type Waiting } from './read-backlog.ts';

export { lagReader } from './read-backlog.ts';

/** A call starts no new part after this time; a caller that wants more continues from the resume token. */
const MAX_CALL_MS = 30_000;
const DAY_MS = 86_400_000;
/** The retention of the submission service's outbox. */
const OLDEST_MS = 7 * DAY_MS;
const YOUNGEST_MS = 60_000;

/** A time span: from `since` (inclusive) to `until` (exclusive). */
export interface Span {
  readonly since: Date;
  readonly until: Date;
}

/** Two records that should agree but do not. Contains no personal data. */
export interface Difference {
  /** A stable keyword for the kind of difference. */
  readonly what: string;
  readonly target: string;
  readonly accountId?: string;
  readonly explanation: string;
  /** If repair was requested: whether it is repaired or about to be. */
  readonly repaired?: boolean;
}

/** One part of a comparison, which takes bounded memory and a few seconds. */
interface ComparedPart {
  readonly compared: number;
  readonly differences: readonly Difference[];
  /** Where the next part starts, as text of at most 200 characters; empty after the last part. */
  readonly next: string;
}

/** Compares, and repairs on request, the part at `at`; the first is ''. Throws VALIDATION_ERROR. */
export type Comparison = (part: {
  readonly span: Span;
  readonly at: string;
  readonly repair: boolean;
}) => Promise<ComparedPart>;

interface Parts extends Waiting {
  readonly clock: Clock;
  /** Absent if a service has nothing to compare. */
  readonly compare?: Comparison;
}

type Found = Exclude<MessageInitShape<typeof FindingSchema>, { $typeName: string }>;

/** Serves a service's comparison and its backlog. Implements docs/contract.md, section 11. */
export function reconciliationRoutes(parts: Parts): (router: ConnectRouter) => void {
  return (router) => {
    router.service(ReconciliationService, { reconcile: (request, call) => reconcile(parts, request, call) });
  };
}

async function* reconcile(parts: Parts, request: ReconcileRequest, call: RpcCall): AsyncGenerator<Found> {
  const { pool, clock, compare } = parts;
  const { repair } = request;
  const now = clock.now();
  const span = spanOf(request, now);
  if (repair) {
    const after = { since: formatTimestamp(span.since), until: formatTimestamp(span.until) };
    await appendAudit(pool, auditEntry(call, { at: now, target: '', after }));
  }
  const startedAt = performance.now();
  let [at, compared] = [request.resumeToken, 0];
  do {
    if (!compare) break;
    const part = await compare({ span, at, repair });
    const repaired = part.differences.filter((difference) => difference.repaired);
    const entries = repaired.map(({ what, target, accountId }) =>
      auditEntry(call, {
        at: clock.now(),
        target,
        ...(accountId !== undefined && { accountId }),
        after: { repaired: what },
      }),
    );
    await appendAudit(pool, ...entries);
    for (const difference of part.differences) yield findingOf(difference, repair);
    compared += part.compared;
    at = part.next;
  } while (at !== '' && performance.now() - startedAt < MAX_CALL_MS && !call.signal.aborted);
  if (at === '') for (const backlog of await readBacklog(parts)) yield { kind: Kind.BACKLOG, ...backlog };
  yield { kind: Kind.ENDED, count: BigInt(compared), resumeToken: at };
}

function findingOf({ repaired, ...difference }: Difference, repair: boolean): Found {
  const outcome = repaired ? RepairOutcome.REPAIRED : RepairOutcome.NOT_POSSIBLE;
  return { kind: Kind.DIFFERENCE, ...difference, repair: repair ? outcome : RepairOutcome.UNSPECIFIED };
}

function spanOf({ since: from, until: to }: ReconcileRequest, now: Date): Span {
  const since = from ? toDate(from) : new Date(now.getTime() - DAY_MS);
  const until = to ? toDate(to) : new Date(now.getTime() - YOUNGEST_MS);
  if (now.getTime() - since.getTime() > OLDEST_MS)
    throw invalid('since', 'must be at most seven days ago: older changes are no longer listed');
  if (since >= until) throw invalid('since', 'must be before until, which is one minute ago by default');
  return { since, until };
}
