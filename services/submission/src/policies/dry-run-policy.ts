import { setTimeout as pause } from 'node:timers/promises';
import { type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type {
  DryRunPolicyRequest,
  DryRunPolicyResponseSchema,
} from '@supplier/proto/submission/v1/policy_effects';
import type { Context, PolicyRpcs } from '../context.ts';
import { capKey } from '../model/decide-all.ts';
import { policyTarget } from '../model/policy/policy-kinds.ts';
import { seenOfEnquiry } from '../model/policy/seen-by-conditions.ts';
import { findPolicyText, sha256Of } from '../store/policies.sql.ts';
import { openEnquiry, termsOf } from '../store/submission-row.ts';
import {
  type DecidedFilter,
  type DecidedRow,
  decidedStatusOf,
  decidedSubmissions,
  latestSubmissions,
} from './decided-submissions.sql.ts';
import type { DryRunCounts } from './dry-run.ts';
import { checkedOrLimitExceeded, LIMIT_EXCEEDED, type PolicyChecks } from './policy-checks.ts';
import { policyNotFound, unusablePolicy } from './policy-message.ts';
import { PolicyLimitExceeded, type PolicyThread } from './policy-thread.ts';
import type { TriedSubmission } from './thread-requests.ts';

const DEFAULT_LAST = 10_000;
const BATCH = 500;
/** Submissions decided without a pause, while callers wait for some milliseconds. */
const STRETCH = 20;
/**
 * Pauses as multiples of the work between them. Submissions take priority, so the pauses are longer the busier the
 * process was during the last one.
 */
const PAUSE = { whileIdle: 0.5, whileBusy: 3.5 };
const MAX_MS = 120_000;
/** Up to this many examined submissions are listed individually in the audit log. */
const NAMED = 500;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/**
 * Decides the latest submissions again with a different policy, batch by batch on the background connections and on a
 * thread that the policy cannot block, and streams its progress; the last message is the result. One run at a time per
 * process: WRONG_STATE while another is in progress. Stops when its caller disconnects, and after two minutes with the
 * results so far. Audited with its purpose, the text and the examined submissions before any data is opened, and with
 * the examples before they are returned. VALIDATION_ERROR for a text that is not a policy, NOT_FOUND for a version that
 * is not stored. Implements docs/contract.md, section 5.
 */
export function dryRunPolicy(context: Context, policyChecks: PolicyChecks): PolicyRpcs['dryRunPolicy'] {
  let inProgress: AbortSignal | undefined;
  return async function* begin(request, call): AsyncGenerator<Progress> {
    const purpose = request.purpose.trim();
    const text = await requestedText(context, request);
    const filter = requestedFilter(request);
    // A run whose caller has disconnected stops at its next stretch, and its generator may never be finished.
    if (inProgress && !inProgress.aborted)
      throw refuse(
        RefusalCode.WRONG_STATE,
        'Another dry run is in progress on this process. Try again when it has ended.',
      );
    const mine = call.signal;
    inProgress = mine;
    const thread = policyChecks.borrowThread();
    try {
      const read = await thread.ask('beginDryRun', { text }).catch(checkedOrLimitExceeded);
      if ('violations' in read) throw unusablePolicy(read.violations);
      const last = request.last || DEFAULT_LAST;
      const about = {
        target: policyTarget(PolicyKind.DECISION, read.policy.version),
        ...(filter.accountId && { accountId: filter.accountId }),
        purpose,
      };
      const asked = {
        sha256: sha256Of(text),
        // A stored text is not repeated.
        ...(request.text !== '' && { text }),
        last,
        environment: filter.environment ?? 0,
      };
      const audit = (after: object) =>
        auditCall(context.workPool, call, { at: context.clock.now(), ...about, after });
      const range = await latestSubmissions(context.workPool, filter, last);
      await audit({ ...asked, lookedAt: await onRecord(context, filter, range) });
      const findings = yield* run(context, thread, { filter, range, signal: call.signal });
      if (!findings) return;
      const shown = findings.examples.map(({ submissionId }) => submissionId);
      if (shown.length > 0) await audit({ sha256: asked.sha256, shown });
      yield findings;
    } catch (error) {
      throw error instanceof PolicyLimitExceeded ? unusablePolicy(LIMIT_EXCEEDED) : error;
    } finally {
      policyChecks.release(thread);
      if (inProgress === mine) inProgress = undefined;
    }
  };
}

type Range = Awaited<ReturnType<typeof latestSubmissions>>;

/**
 * Returns the audit details of the examined submissions, before any is opened. With few submissions a caller could
 * learn about each by comparing the counts of several texts, without examples, so small sets are listed individually.
 */
async function onRecord({ workPool }: Context, filter: DecidedFilter, range: Range): Promise<object> {
  if (!range) return { count: 0 };
  const { first, last, count } = range;
  if (count > NAMED) return { count, first, last };
  const rows = await decidedSubmissions(workPool, filter, { from: before(first), last, limit: count });
  return { count, submissions: rows.map(({ id }) => id) };
}

type Progress = MessageInitShape<typeof DryRunPolicyResponseSchema>;
type Findings = Progress & { readonly examples: readonly { readonly submissionId: string }[] };

/** Returns the result for the last message; undefined if the caller has disconnected. */
async function* run(
  { workPool, keyRing }: Context,
  thread: PolicyThread,
  { filter, range, signal }: { filter: DecidedFilter; range: Range; signal: AbortSignal },
): AsyncGenerator<Progress, Findings | undefined> {
  const until = performance.now() + MAX_MS;
  const total = range?.count ?? 0;
  let factor = PAUSE.whileBusy;
  let counts: DryRunCounts | undefined;
  let [lookedAt, passedOver] = [0, 0];
  let rows = range ? await batch(FIRST_ID, range.first) : [];
  while (rows.length > 0 && !signal.aborted && performance.now() < until) {
    for (let at = 0; at < rows.length && !signal.aborted; at += STRETCH) {
      const began = performance.now();
      const stretch = rows.slice(at, at + STRETCH);
      const submissions = stretch.map(triable).filter((submission) => submission !== undefined);
      lookedAt += stretch.length;
      passedOver += stretch.length - submissions.length;
      counts = await thread.ask('trySubmissions', { submissions });
      const worked = performance.eventLoopUtilization();
      await pause((performance.now() - began) * factor);
      const { utilization } = performance.eventLoopUtilization(worked);
      factor = PAUSE.whileIdle + (PAUSE.whileBusy - PAUSE.whileIdle) * utilization;
    }
    const behind = rows.at(-1);
    rows = behind && lookedAt < total ? await batch(behind.id) : [];
    if (rows.length > 0) yield progress();
  }
  if (signal.aborted) return undefined;
  const { changes, examples } = await thread.ask('endDryRun', {});
  return {
    ...progress(),
    finished: true,
    changes: changes.map((change) => ({ ...change, count: BigInt(change.count) })),
    examples: examples.map(({ id, to, ...example }) => ({
      ...example,
      submissionId: id,
      ...(to !== undefined && { to }),
    })),
  };

  function progress() {
    return {
      total: BigInt(total),
      lookedAt: BigInt(lookedAt),
      unchanged: BigInt(counts?.unchanged ?? 0),
      unchangedByAnotherRule: BigInt(counts?.unchangedByAnotherRule ?? 0),
      changed: BigInt(counts?.changed ?? 0),
      failed: BigInt(counts?.failed ?? 0),
      passedOver: BigInt(passedOver),
    };
  }

  async function batch(behind: string, first?: string): Promise<DecidedRow[]> {
    if (!range) return [];
    // Includes the first id of the range.
    const from = first === undefined ? behind : before(first);
    // A submission that arrived during the count may have an id within the range.
    const limit = Math.min(BATCH, range.count - lookedAt);
    return decidedSubmissions(workPool, filter, { from, last: range.last, limit });
  }

  /** Returns the submission as sent to the thread; undefined if it cannot be tried. */
  function triable(row: DecidedRow): TriedSubmission | undefined {
    const status = decidedStatusOf(row);
    const isOther = filter.environment !== undefined && row.environment !== filter.environment;
    if (status === undefined || isOther || !row.decided_at) return undefined;
    return {
      id: row.id,
      capKey: capKey({ accountId: row.account_id, environment: row.environment }),
      decidedAt: row.decided_at,
      status,
      rule: row.decision_rule ?? '',
      contactChecks: row.contact_checks,
      terms: toBinary(TermsSchema, termsOf(row.terms)),
      enquiry: toBinary(EnquirySchema, seenOfEnquiry(openEnquiry(keyRing, row))),
    };
  }
}

/** Returns the highest id below this one. */
function before(id: string): string {
  const below = BigInt(`0x${id.replaceAll('-', '')}`) - 1n;
  const hex = below.toString(16).padStart(32, '0');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

async function requestedText(
  { pool }: Pick<Context, 'pool'>,
  { text, version }: DryRunPolicyRequest,
): Promise<string> {
  if ((text === '') === (version === ''))
    throw invalid('text', 'must be set unless version is, and not with it');
  if (text !== '') return text;
  const stored = await findPolicyText(pool, PolicyKind.DECISION, version);
  if (!stored) throw policyNotFound();
  return stored.text;
}

function requestedFilter({ accountId, environment }: DryRunPolicyRequest): DecidedFilter {
  return {
    accountId: accountId === '' ? undefined : requestedId<AccountId>('account_id', accountId),
    environment: environment || undefined,
  };
}
