import { isDependencyUnavailable } from '@supplier/lib/dependency';
import { failureReason } from '@supplier/lib/log';
import { runInContext } from '@supplier/lib/request-context';
import { callOptions } from '@supplier/lib/rpc-client';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { wakeable } from '@supplier/lib/wakeable';
import { ErasureStep } from '@supplier/proto/submission/v1/erasures';
import type { Context } from '../context.ts';
import {
  type ClaimedErasure,
  claimErasures,
  putOff,
  putOffAfterFailure,
  type Removed,
  saveStep,
} from '../db/erasures.ts';
import type { ErasedKind, ErasedPlace } from '../domain/erased-kinds.ts';
import { eraseOwn, type OwnWait } from '../lifecycle/erase-own.ts';

/** How soon an erasure is found that another process has recorded, or that is due again. */
const POLL_MS = 500;
/** Submissions that a process erases at once: callers of this service go first. */
const MAX_AT_ONCE = 6;
const UNAVAILABLE_PAUSE_MS = 2_000;

/** What stands in the way of a step, in words for staff, and when to look again. */
const WAITS: Readonly<Record<OwnWait | 'objects', { readonly for: string; readonly ms: number }>> = {
  work: { for: 'its decision, Application or pre-underwriting, which is under way', ms: 250 },
  hold: { for: 'the release of its legal hold', ms: 60_000 },
  objects: { for: 'the object store to confirm that the bytes of its documents are gone', ms: 500 },
};

type Wait = keyof typeof WAITS;
type UnfinishedStep = Exclude<ErasureStep, ErasureStep.UNSPECIFIED | ErasureStep.DONE>;

/** Which service a step is about. */
const PLACES: Readonly<Record<UnfinishedStep, Removed['place']>> = {
  [ErasureStep.OWN_DATA]: 'submission',
  [ErasureStep.DOCUMENTS]: 'document',
  [ErasureStep.DELIVERIES]: 'webhook',
};

/**
 * Carries out what RequestErasure and retention have recorded, until the process stops. Each submission goes through the
 * steps in their order; each step can be made again, and is when its process dies or a service does not answer, for as long
 * as it takes. Of many processes each claims others. Implements docs/contract.md, section 10.
 */
export function startErasing(process: ServiceProcess, context: Context): { wake(): void } {
  const sleeper = wakeable(process.stopping);
  const done = keepErasing();
  process.onStop('erasures', async () => {
    await done;
  });
  return { wake: sleeper.wake };

  async function keepErasing(): Promise<void> {
    while (!process.stopping.aborted) {
      try {
        if ((await eraseDue(context)) === 0) await sleeper.sleep(POLL_MS);
      } catch (err) {
        if (!process.stopping.aborted) process.log.warn({ err, work: 'erase' }, 'dependency unavailable');
        await sleeper.sleep(UNAVAILABLE_PAUSE_MS);
      }
    }
  }
}

/** Carries on with up to six submissions that are due. Resolves to how many there were; rejects without a database. */
export async function eraseDue(context: Context): Promise<number> {
  const claims = await claimErasures(context.workPool, MAX_AT_ONCE);
  const ends = await Promise.allSettled(
    claims.map((claim) =>
      runInContext({ requestId: claim.request_id, traceParent: '' }, () => carryOn(context, claim)),
    ),
  );
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return claims.length;
}

async function carryOn(context: Context, claim: ClaimedErasure): Promise<void> {
  const { workPool, clock } = context;
  for (let step = claim.step; step !== ErasureStep.DONE; step += 1) {
    if (step === ErasureStep.UNSPECIFIED) throw new Error('invariant violated: an erasure without a step');
    try {
      const wait = await STEPS[step](context, claim);
      if (!wait) continue;
      if (wait === 'work') wakeWorkers(context);
      return await putOff(workPool, claim, { ...WAITS[wait], since: clock.now() });
    } catch (error) {
      const what = failureOf(step, error);
      context.log.warn(
        { err: error, submission_id: claim.submission_id, step: PLACES[step] },
        'erasure waits',
      );
      return await putOffAfterFailure(workPool, claim, { what, since: clock.now() });
    }
  }
}

/** Each resolves to what stands in its way; undefined when it is done, and noted as done. */
const STEPS: Readonly<
  Record<UnfinishedStep, (context: Context, claim: ClaimedErasure) => Promise<Wait | undefined>>
> = {
  [ErasureStep.OWN_DATA]: eraseOwn,
  async [ErasureStep.DOCUMENTS](context, claim) {
    const { submission_id, account_id, environment, external_reference } = claim;
    const { documentsErased, objectsLeft, uploadsEnded } = await context.documents.eraseDocuments(
      {
        accountId: account_id,
        environment,
        externalReference: external_reference,
        submissionId: submission_id,
      },
      callOptions(),
    );
    if (objectsLeft > 0n) return 'objects';
    const removed = removedNow(context, 'document', {
      document: documentsErased,
      // The version before says nothing of it.
      ...(uploadsEnded ? { upload_reference: 1n } : {}),
    });
    await saveStep(context.workPool, claim, { next: ErasureStep.DELIVERIES, removed, completedAt: null });
    return undefined;
  },
  async [ErasureStep.DELIVERIES](context, claim) {
    const { eventsErased, attemptsErased } = await context.webhooks.eraseDeliveries(
      { submissionId: claim.submission_id },
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

function removedNow<Place extends ErasedPlace>(
  { clock }: Context,
  place: Place,
  counts: Readonly<Partial<Record<ErasedKind<Place>, bigint>>>,
): Removed[] {
  const at = clock.now().toISOString();
  return Object.entries<bigint | undefined>(counts).map(([kind, count]) => ({
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
    ? `${service}, or its database, to answer`
    : `${service}, which failed: ${failureReason(error)}`;
}
