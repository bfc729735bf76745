import { inTransaction } from '@supplier/lib/data/postgres';
import { auditCall } from '@supplier/lib/governance/audit';
import { invalid, RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { RpcCall } from '@supplier/lib/rpc/rpc-server';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { publicName } from '@supplier/lib/text/status-object';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import type { Context, Rpcs } from '../context.ts';
import type { LockedSubmission } from '../model/locked-submission.ts';
import { type DecidedStatus, type Decision, STAFF_POLICY } from '../model/policy/decision-policy.ts';
import { toStatusMessage } from '../model/status-message.ts';
import { decide } from '../model/transitions.ts';
import { submissionNotFound } from '../refusals.ts';
import { DECISIONS, findActor } from '../store/find-actor.sql.ts';
import { lockSubmission, type SubmissionRow, undecidedSubmissionOf } from '../store/load-submissions.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import { loadDecisionFacts } from './decision-facts.sql.ts';
import { decideInTurn, transitionInputs } from './index.ts';
import { runBatch } from './run-batch.ts';

/** Maximum earlier submissions from the same customer that one decision by staff waits for. */
const MAX_EARLIER = 4;

/**
 * Records a decision by staff on a submission that is still `received`. It takes the same locks as a decision by
 * policy, so that two submissions from one customer are never both accepted unintentionally. WRONG_STATE if it has
 * already been decided, or when accepting a submission whose customer has already been accepted without
 * `accept_duplicate`; with it, the audit log names the earlier submission. Implements docs/contract.md, section 5.
 */
export function decideSubmission(context: Context): Rpcs['decideSubmission'] {
  return async (request, call) => {
    const decision = {
      status: parseDecision(request.decision),
      policyVersion: STAFF_POLICY,
      rule: STAFF_POLICY,
      reason: request.reason,
    };
    const { acceptDuplicate } = request;
    if (acceptDuplicate && decision.status !== Status.ACCEPTED)
      throw invalid('accept_duplicate', 'is only allowed with the decision accepted');
    const id = request.submissionId.toLowerCase() as SubmissionId;
    for (let step = 0; step <= MAX_EARLIER; step += 1) {
      const { submission, earlier } = await inTransaction(context.pool, (tx) =>
        decideBy(context, tx, id, { decision, acceptDuplicate }, call),
      );
      if (!earlier) {
        const { state } = submission;
        context.counts.countDecided([submission], context.clock.now());
        context.wakes.relay();
        if (state.level === Level.BASIC) context.wakes.unminted();
        return toStatusMessage(state);
      }
      await decideInTurn(context, earlier);
    }
    throw refuse(
      RefusalCode.SERVICE_UNAVAILABLE,
      'Earlier submissions of the customer are still being decided.',
    );
  };
}

/** Resolves to the decided submission or, without changes, to the earlier submission that must be decided first. */
async function decideBy(
  context: Context,
  tx: pg.PoolClient,
  id: SubmissionId,
  { decision, acceptDuplicate }: { decision: Decision; acceptDuplicate: boolean },
  call: RpcCall,
): Promise<{ submission: LockedSubmission; earlier?: SubmissionId }> {
  const { clock, config, keyRing } = context;
  const row = await lockSubmission(tx, id);
  if (!row) throw submissionNotFound();
  if (row.status !== Status.RECEIVED) {
    throw refuse(RefusalCode.WRONG_STATE, await howDecided(tx, row));
  }
  const submission = undecidedSubmissionOf(context, row);
  const { duplicateWindowDays } = config;
  const facts = await loadDecisionFacts(tx, [submission], { duplicateWindowDays, now: clock.now() });
  const match = facts.duplicates.get(id);
  if (decision.status === Status.ACCEPTED) {
    if (match && !acceptDuplicate) {
      throw refuse(
        RefusalCode.WRONG_STATE,
        `Submission ${match.id} of the same customer has been accepted. Decide this one as duplicate_not_accepted, or accept it anyway with accept_duplicate.`,
      );
    }
    const earlier = facts.earlier.get(id);
    if (earlier) return { submission, earlier };
  }
  const named = match && decision.status !== Status.REJECTED ? { match } : {};
  const decided = decide(submission, { ...decision, ...named }, transitionInputs(context));
  saveSubmissions(tx, keyRing, [decided]);
  await auditCall(tx, call, {
    at: clock.now(),
    target: id,
    accountId: row.account_id,
    before: { status: Status[row.status] },
    after: {
      status: Status[decision.status],
      ...(acceptDuplicate && match ? { duplicateOf: match.id } : {}),
    },
  });
  return { submission: decided };
}

/** Describes who decided it and when, so that the refused caller knows whom to ask. */
async function howDecided(tx: pg.PoolClient, { id, status, decided_at }: SubmissionRow): Promise<string> {
  const [by, at] = [await findActor(tx, id, DECISIONS), decided_at?.toISOString()];
  return `The submission has already been decided, by ${by} at ${at}, and is ${publicName(Status, status)}.`;
}

function parseDecision(decision: Status): DecidedStatus {
  if (
    decision === Status.ACCEPTED ||
    decision === Status.REJECTED ||
    decision === Status.DUPLICATE_NOT_ACCEPTED
  ) {
    return decision;
  }
  throw refuse(RefusalCode.VALIDATION_ERROR, 'The decision is invalid.', {
    violations: [{ path: 'decision', message: 'must be accepted, rejected or duplicate_not_accepted' }],
  });
}

/** Records up to 100 decisions by staff, with a result for each. Implements docs/contract.md, section 5. */
export function decideSubmissions(context: Context): Rpcs['decideSubmissions'] {
  const act = decideSubmission(context);
  return ({ decisions }, call) => runBatch(context, 'decisions', decisions, call, act);
}
