import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { type Finding, FindingKind } from '@supplier/proto/reconciliation/v1/reconciliation';
import { isLoggedOut, reconciliations, sentenceOf } from './calls.ts';
import { sessionIsOver } from './session.ts';

/** The services that compare what they hold: every one that staff call. */
export const RECONCILED = STAFF_SERVICES;
export type Reconciled = StaffService;

/** A service begins no further part of a comparison after half a minute, and a part takes seconds. */
const CALL_MS = 60_000;
/** Of one service, one after the other: what takes longer than hours is not asked for here. */
const MAX_CALLS = 500;

/** What is compared: changes from `since` on, before `until`, in every call the same; and whether it is put right. */
export interface Comparison {
  readonly since: Date;
  readonly until: Date;
  readonly repair: boolean;
}

/** How a service ended: it has compared all, somebody stopped it, or why not. */
export type Ending = 'done' | 'stopped' | { readonly refusal: string };

/** Told of what comes while a service compares. */
export interface Listener {
  readonly found: (finding: Finding) => void;
  /** At the end of each call. */
  readonly compared: (count: bigint) => void;
}

/**
 * Has a service compare what it holds, call after call until it has compared all: at most 500 calls, each of a minute at the
 * most. Resolves to how it ended; what was found until then has been told.
 */
export async function reconcile(
  service: Reconciled,
  { since, until, repair }: Comparison,
  signal: AbortSignal,
  { found, compared }: Listener,
): Promise<Ending> {
  const asked = { since: timestampFromDate(since), until: timestampFromDate(until), repair };
  let resumeToken = '';
  try {
    for (let call = 0; call < MAX_CALLS; call += 1) {
      let ended: Finding | undefined;
      const options = { signal, timeoutMs: CALL_MS };
      for await (const finding of reconciliations[service].reconcile({ ...asked, resumeToken }, options))
        if (finding.kind === FindingKind.ENDED) ended = finding;
        else found(finding);
      if (!ended)
        throw new ConnectError(`The ${service} service did not come to an end. Compare again.`, Code.Aborted);
      compared(ended.count);
      resumeToken = ended.resumeToken;
      if (resumeToken === '') return 'done';
    }
    return { refusal: `There is more to compare after ${MAX_CALLS} calls: compare a shorter time.` };
  } catch (error) {
    if (signal.aborted) return 'stopped';
    if (isLoggedOut(error)) sessionIsOver();
    return { refusal: sentenceOf(error) };
  }
}
