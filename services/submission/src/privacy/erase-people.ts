import { isDependencyUnavailable } from '@supplier/lib/data/dependency';
import { type RetryDelays, retryDelayMs } from '@supplier/lib/data/queues';
import { callOptions } from '@supplier/lib/rpc/rpc-client';
import { failureReason } from '@supplier/lib/runtime/log';
import { runInContext } from '@supplier/lib/runtime/request-context';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import { ErasureStep } from '@supplier/proto/submission/v1/erasures';
import type { Context } from '../context.ts';
import { eraseOwn, type OwnWait } from './erase-own.ts';
import {
  type ClaimedErasure,
  claimErasures,
  type ErasedKind,
  type ErasedPlace,
  postpone,
  type Removed,
  saveStep,
} from './erasures.sql.ts';

/**
 * How soon an erasure is found that another process recorded, or that is due again. This process's own erasures are
 * found immediately.
 */
const POLL_MS = 1_000;
/** Submissions that a process erases concurrently. Callers of this service take priority. */
const MAX_CONCURRENT = 6;

/** Why a step waits, in words for staff, and when to check again. */
const WAITS: Readonly<Record<OwnWait | 'objects', { readonly for: string; readonly ms: number }>> = {
  work: { for: 'its decision, Application or pre-underwriting, which is in progress', ms: 250 },
  hold: { for: 'the release of its legal hold', ms: 60_000 },
  objects: { for: 'the object store to confirm that its documents are deleted', ms: 500 },
};

/** An erasure is retried indefinitely. */
const RETRY_DELAYS = { seconds: [1, 2, 5, 10, 30, 60], repeatsLast: true } as const satisfies RetryDelays;

type Wait = keyof typeof WAITS;
type UnfinishedStep = Exclude<ErasureStep, ErasureStep.UNSPECIFIED | ErasureStep.DONE>;

const PLACES: Readonly<Record<UnfinishedStep, Removed['place']>> = {
  [ErasureStep.OWN_DATA]: 'submission',
  [ErasureStep.DOCUMENTS]: 'document',
  [ErasureStep.DELIVERIES]: 'webhook',
};

/**
 * Carries out the erasures recorded by RequestErasure and retention, up to six submissions at a time. Each goes through
 * the steps in order. Every step is idempotent, and is repeated when its process dies or a service does not respond,
 * until it succeeds. Each process claims different ones. Implements docs/contract.md, section 10.
 */
export const erasePeople: Sweep<Context> = {
  found: 'submissions erased',
  everyMs: POLL_MS,
  async run(context) {
    const claims = await claimErasures(context.workPool, MAX_CONCURRENT);
    const ends = await Promise.allSettled(
      claims.map((claim) =>
        runInContext({ requestId: claim.request_id, traceParent: '' }, () => continueErasure(context, claim)),
      ),
    );
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    const erased = ends.filter((end) => end.status === 'fulfilled' && end.value);
    return { count: erased.length, more: claims.length > 0 };
  },
};

/** Resolves to whether the erasure is complete. */
async function continueErasure(context: Context, claim: ClaimedErasure): Promise<boolean> {
  const { workPool, clock } = context;
  let { failures } = claim;
  for (let step = claim.step; step !== ErasureStep.DONE; step += 1) {
    if (step === ErasureStep.UNSPECIFIED) throw new Error('invariant violated: an erasure without a step');
    try {
      const wait = await STEPS[step](context, claim);
      if (!wait) {
        failures = 0;
        continue;
      }
      if (wait === 'work') wakeWorkers(context);
      await postpone(workPool, claim, { ...WAITS[wait], since: clock.now(), failures });
      return false;
    } catch (error) {
      const what = failureOf(step, error);
      context.log.warn(
        { err: error, submission_id: claim.submission_id, step: PLACES[step] },
        'erasure waits',
      );
      failures += 1;
      const ms = retryDelayMs(RETRY_DELAYS, failures);
      await postpone(workPool, claim, { for: what, since: clock.now(), ms, failures });
      return false;
    }
  }
  return true;
}

/** Each step resolves to the reason for waiting; undefined when it is done and recorded. */
const STEPS: Readonly<
  Record<UnfinishedStep, (context: Context, claim: ClaimedErasure) => Promise<Wait | undefined>>
> = {
  [ErasureStep.OWN_DATA]: eraseOwn,
  async [ErasureStep.DOCUMENTS](context, claim) {
    const { submission_id, account_id, environment, external_reference } = claim;
    const { documentsErased, objectsLeft } = await context.documents.eraseDocuments(
      {
        accountId: account_id,
        environment,
        externalReference: external_reference,
        submissionId: submission_id,
        ...requestOf(claim),
      },
      callOptions(),
    );
    if (objectsLeft > 0n) return 'objects';
    const removed = removedNow(context, 'document', {
      document: documentsErased,
      upload_reference: 1n,
    });
    await saveStep(context.workPool, claim, { next: ErasureStep.DELIVERIES, removed, completedAt: null });
    return undefined;
  },
  async [ErasureStep.DELIVERIES](context, claim) {
    const { eventsErased, attemptsErased } = await context.webhooks.eraseDeliveries(
      { submissionId: claim.submission_id, ...requestOf(claim) },
      callOptions(),
    );
    const removed = removedNow(context, 'webhook', {
      event_body: eventsErased,
      attempt_answer: attemptsErased,
    });
    const completedAt = context.clock.now();
    await saveStep(context.workPool, claim, { next: ErasureStep.DONE, removed, completedAt });
    return undefined;
  },
};

/** Returns the requester and the purpose, for the audit logs of the services that carry out the erasure. */
const requestOf = (claim: ClaimedErasure) => ({
  requester: {
    subject: claim.requested_by,
    issuer: claim.requested_by_issuer,
    roles: [...claim.requested_by_roles],
  },
  purpose: claim.purpose,
});

function removedNow<Place extends ErasedPlace>(
  { clock }: Context,
  place: Place,
  counts: Readonly<Record<ErasedKind<Place>, bigint>>,
): Removed[] {
  const at = clock.now().toISOString();
  return Object.entries<bigint>(counts).map(([kind, count]) => ({
    place,
    kind,
    count: Number(count),
    at,
  }));
}

function wakeWorkers({ wakes }: Context): void {
  wakes.undecided();
  wakes.unminted();
  wakes.unassessed();
}

function failureOf(step: UnfinishedStep, error: unknown): string {
  const service = `the ${PLACES[step]} service`;
  return isDependencyUnavailable(error)
    ? `${service} or its database to respond`
    : `${service}, which failed: ${failureReason(error)}`;
}
