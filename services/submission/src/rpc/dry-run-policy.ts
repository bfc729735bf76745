import { setTimeout as pause } from 'node:timers/promises';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { appendAudit, auditEntry } from '@supplier/lib/audit';
import type { AccountId } from '@supplier/lib/ids';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/refusal';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type {
  DryRunPolicyRequest,
  DryRunPolicyResponseSchema,
} from '@supplier/proto/submission/v1/policy_effects';
import type { Context, PolicyRpcs } from '../context.ts';
import {
  type DecidedFilter,
  type DecidedRow,
  decidedStatusOf,
  decidedSubmissions,
  latestSubmissions,
} from '../db/decided-submissions.ts';
import { findPolicyText } from '../db/policies.ts';
import { openEnquiry, termsOf } from '../db/submission-row.ts';
import { capKey } from '../domain/decide-all.ts';
import { compileDecisionPolicy, type DecisionPolicy } from '../domain/decision-policy.ts';
import { DryRun } from '../domain/dry-run.ts';
import { policyTarget } from '../domain/policy-kinds.ts';
import { policyNotFound, readText, unusablePolicy } from '../requests/requested-policy.ts';

const DEFAULT_LAST = 10_000;
const BATCH = 500;
/** Leads that are decided without a pause: callers wait behind them for some milliseconds. */
const STRETCH = 20;
/**
 * Pauses as multiples of the work between them: the process is for those who submit, and so they are the longer the more
 * others had it do during the last one.
 */
const PAUSE = { whileIdle: 0.5, whileBusy: 3.5 };
const MAX_MS = 120_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Decides the latest submissions once more by another policy, batch by batch on the connections for work, and streams how
 * far it is; the last message is the result. One at a time on each process: WRONG_STATE while another is under way. Ends
 * when its caller has gone, and after two minutes with what it has. Audited before anything is opened. VALIDATION_ERROR
 * for a text that is no policy, NOT_FOUND for a version that is not stored. Implements docs/contract.md, section 5.
 */
export function dryRunPolicy(context: Context): PolicyRpcs['dryRunPolicy'] {
  let underWay: AbortSignal | undefined;
  return async function* begin(request, call): AsyncGenerator<Progress> {
    const policy = await requestedPolicy(context, request);
    const filter = requestedFilter(request);
    // Whose caller has gone ends at its next stretch, and may not be pulled to its end.
    if (underWay && !underWay.aborted)
      throw refuse(
        RefusalCode.WRONG_STATE,
        'Another dry run is under way on this process: try again when it has ended.',
      );
    const mine = call.signal;
    underWay = mine;
    try {
      const last = request.last || DEFAULT_LAST;
      const entry = auditEntry(call, {
        at: context.clock.now(),
        target: policyTarget(PolicyKind.DECISION, policy.version),
        ...(filter.accountId && { accountId: filter.accountId }),
        after: { last, environment: filter.environment ?? 0 },
      });
      await appendAudit(context.workPool, entry);
      yield* run(context, policy, { filter, last, signal: call.signal });
    } finally {
      if (underWay === mine) underWay = undefined;
    }
  };
}

type Progress = MessageInitShape<typeof DryRunPolicyResponseSchema>;

async function* run(
  { workPool, keyRing }: Context,
  policy: DecisionPolicy,
  { filter, last, signal }: { filter: DecidedFilter; last: number; signal: AbortSignal },
): AsyncGenerator<Progress> {
  const until = performance.now() + MAX_MS;
  const dryRun = new DryRun(policy);
  const range = await latestSubmissions(workPool, filter, last);
  const total = range?.count ?? 0;
  let factor = PAUSE.whileBusy;
  let [lookedAt, passedOver] = [0, 0];
  let rows = range ? await batch(FIRST_ID, range.first) : [];
  while (rows.length > 0 && !signal.aborted && performance.now() < until) {
    for (let at = 0; at < rows.length && !signal.aborted; at += STRETCH) {
      const began = performance.now();
      for (const row of rows.slice(at, at + STRETCH)) {
        lookedAt += 1;
        if (!tryOn(row)) passedOver += 1;
      }
      const worked = performance.eventLoopUtilization();
      await pause((performance.now() - began) * factor);
      const { utilization } = performance.eventLoopUtilization(worked);
      factor = PAUSE.whileIdle + (PAUSE.whileBusy - PAUSE.whileIdle) * utilization;
    }
    const behind = rows.at(-1);
    rows = behind && lookedAt < total ? await batch(behind.id) : [];
    if (rows.length > 0)
      yield { total: BigInt(total), lookedAt: BigInt(lookedAt), ...counts(dryRun, passedOver) };
  }
  if (signal.aborted) return;
  yield {
    finished: true,
    total: BigInt(total),
    lookedAt: BigInt(lookedAt),
    ...counts(dryRun, passedOver),
    changes: dryRun.changes.map((change) => ({ ...change, count: BigInt(change.count) })),
    examples: dryRun.examples.map(({ id, to, ...example }) => ({
      ...example,
      submissionId: id,
      ...(to !== undefined && { to }),
    })),
  };

  async function batch(behind: string, first?: string): Promise<DecidedRow[]> {
    if (!range) return [];
    // The first of the range itself is one of it.
    const from = first === undefined ? behind : before(first);
    // One that was submitted while they were counted may have its id among them.
    const limit = Math.min(BATCH, range.count - lookedAt);
    return decidedSubmissions(workPool, filter, { from, last: range.last, limit });
  }

  /** Whether it could be tried. */
  function tryOn(row: DecidedRow): boolean {
    const status = decidedStatusOf(row);
    const isOther = filter.environment !== undefined && row.environment !== filter.environment;
    if (status === undefined || isOther || !row.decided_at) return false;
    dryRun.add({
      id: row.id,
      capKey: capKey({ accountId: row.account_id, environment: row.environment }),
      decidedAt: row.decided_at,
      status,
      rule: row.decision_rule ?? '',
      terms: termsOf(row.terms),
      enquiry: openEnquiry(keyRing, row),
    });
    return true;
  }
}

/** The greatest id below this one. */
function before(id: string): string {
  const below = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  const hex = below.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

const counts = (dryRun: DryRun, passedOver: number) => ({
  unchanged: BigInt(dryRun.unchanged),
  unchangedByAnotherRule: BigInt(dryRun.unchangedByAnotherRule),
  changed: BigInt(dryRun.changed),
  failed: BigInt(dryRun.failed),
  passedOver: BigInt(passedOver),
});

async function requestedPolicy(
  { pool }: Pick<Context, 'pool'>,
  { text, version }: DryRunPolicyRequest,
): Promise<DecisionPolicy> {
  if ((text === '') === (version === '')) throw invalid('text', 'must be given, or version, and not both');
  const stored = text === '' ? await findPolicyText(pool, PolicyKind.DECISION, version) : { text };
  if (!stored) throw policyNotFound();
  const read = readText(PolicyKind.DECISION, stored.text);
  if ('violations' in read) throw unusablePolicy(read.violations);
  return compileDecisionPolicy(stored.text);
}

function requestedFilter({ accountId, environment }: DryRunPolicyRequest): DecidedFilter {
  return {
    accountId: accountId === '' ? undefined : requestedId<AccountId>('account_id', accountId),
    environment: environment || undefined,
  };
}
