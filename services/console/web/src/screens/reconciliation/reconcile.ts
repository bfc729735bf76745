import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError } from '@connectrpc/connect';
import type { StaffService } from '@supplier/lib/rpc/staff-contracts';
import {
  type Finding,
  FindingKind,
  ReconciliationService,
} from '@supplier/proto/reconciliation/v1/reconciliation';
import { clientOf, errorMessage, isLoggedOut } from '../../calls.ts';
import { sessionIsOver } from '../../session.ts';

/** A service starts no further part of a comparison after half a minute, and a part takes seconds. */
const CALL_MS = 60_000;
/** Maximum consecutive calls to one service, which bounds a comparison to hours. */
const MAX_CALLS = 500;

/**
 * The range of a comparison, the same in every call: changes from `since` and before `until`. `repair` says whether to
 * repair differences.
 */
export interface Comparison {
  readonly since: Date;
  readonly until: Date;
  readonly repair: boolean;
}

/** How a service's comparison ended: complete, stopped by a person, or failed. */
export type Ending = 'done' | 'stopped' | { readonly refusal: string };

/** Receives results while a service is comparing. */
export interface Listener {
  readonly found: (finding: Finding) => void;
  /** Called at the end of each call. */
  readonly compared: (count: bigint) => void;
}

/**
 * Compares the records of one service, calling it until it has compared everything: at most 500 calls of up to a minute
 * each. Resolves to how the comparison ended. The listener has received all findings by then.
 */
export async function reconcile(
  service: StaffService,
  { since, until, repair }: Comparison,
  signal: AbortSignal,
  { found, compared }: Listener,
): Promise<Ending> {
  const request = { since: timestampFromDate(since), until: timestampFromDate(until), repair };
  const client = clientOf(ReconciliationService, service);
  let resumeToken = '';
  try {
    for (let call = 0; call < MAX_CALLS; call += 1) {
      let ended: Finding | undefined;
      const options = { signal, timeoutMs: CALL_MS };
      for await (const finding of client.reconcile({ ...request, resumeToken }, options))
        if (finding.kind === FindingKind.ENDED) ended = finding;
        else found(finding);
      if (!ended)
        throw new ConnectError(`The ${service} service did not finish. Compare again.`, Code.Aborted);
      compared(ended.count);
      resumeToken = ended.resumeToken;
      if (resumeToken === '') return 'done';
    }
    return { refusal: `There is more to compare after ${MAX_CALLS} calls. Compare a shorter period.` };
  } catch (error) {
    if (signal.aborted) return 'stopped';
    if (isLoggedOut(error)) sessionIsOver();
    return { refusal: errorMessage(error) };
  }
}
