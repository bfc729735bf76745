import type { AccountId, SubmissionId } from '@supplier/lib/ids';
import type { Pool } from 'pg';
import { findOnLedger } from '../db/reconciliation.ts';
import {
  type Fault,
  faultOf,
  type OnLedger,
  type ShownSubmission,
  type Span,
} from '../domain/reconciliation.ts';

/** A page of the submissions that changed in a span of time, as they are now; one may be on several pages. */
export type ListChanged = (
  span: Span,
  pageToken: string,
) => Promise<{ readonly submissionIds: readonly SubmissionId[]; readonly next: string }>;

/** At most 100 submissions as their suppliers see them. */
export type ListShown = (submissionIds: readonly SubmissionId[]) => Promise<readonly ShownSubmission[]>;

export interface ReconciliationParts {
  readonly pool: Pool;
  readonly listChanged: ListChanged;
  readonly listShown: ListShown;
  /** Waits until what was on its way has arrived. */
  readonly settle: () => Promise<unknown>;
}

export interface Difference {
  readonly fault: Fault;
  readonly shown: ShownSubmission;
  /** Undefined where billing has no lead for it. */
  readonly found: OnLedger | undefined;
}

/** The leads of an account on either side. */
export interface AccountTotals {
  readonly shownBillable: number;
  /** Charges less credits. */
  readonly charged: number;
}

export interface Reconciliation {
  readonly checked: number;
  readonly differences: readonly Difference[];
  /** Differences that were counted and not kept. */
  readonly omitted: number;
  readonly totals: ReadonlyMap<AccountId, AccountTotals>;
}

const MAX_SHOWN = 100;
/** Beyond these, which ones matters less than that there are so many. */
const MAX_DIFFERENCES = 10_000;

/** Compares all production submissions that changed in a span of time with the ledger. Changes nothing. */
export async function reconcileLedger(
  { pool, listChanged, listShown, settle }: ReconciliationParts,
  span: Span,
): Promise<Reconciliation> {
  const checked = new Set<SubmissionId>();
  const suspects: SubmissionId[] = [];
  const totals = new Map<AccountId, AccountTotals>();
  const differences: Difference[] = [];
  let faults = 0;

  let pageToken = '';
  do {
    const page = await listChanged(span, pageToken);
    const fresh = [...new Set(page.submissionIds)].filter((id) => !checked.has(id));
    for (const id of fresh) checked.add(id);
    for (const { shown, found, fault } of await compare(fresh)) {
      if (fault) suspects.push(shown.submissionId);
      else count(shown, found);
    }
    pageToken = page.next;
  } while (pageToken !== '');

  if (suspects.length > 0) await settle();
  for (const { shown, found, fault } of await compare(suspects)) {
    count(shown, found);
    if (!fault) continue;
    faults += 1;
    if (differences.length < MAX_DIFFERENCES) differences.push({ fault, shown, found });
  }
  return { checked: checked.size, differences, omitted: faults - differences.length, totals };

  async function compare(ids: readonly SubmissionId[]) {
    const compared: { shown: ShownSubmission; found: OnLedger | undefined; fault: Fault | undefined }[] = [];
    for (let from = 0; from < ids.length; from += MAX_SHOWN) {
      const some = ids.slice(from, from + MAX_SHOWN);
      const [all, onLedger] = [await listShown(some), await findOnLedger(pool, some)];
      for (const shown of all) {
        if (shown.environment === 'sandbox') continue;
        const found = onLedger.get(shown.submissionId);
        compared.push({ shown, found, fault: faultOf(shown, found) });
      }
    }
    return compared;
  }

  function count({ accountId, billingStatus }: ShownSubmission, found: OnLedger | undefined): void {
    const { shownBillable, charged } = totals.get(accountId) ?? { shownBillable: 0, charged: 0 };
    totals.set(accountId, {
      shownBillable: shownBillable + (billingStatus === 'billable' ? 1 : 0),
      charged: charged + (found ? found.charges - found.credits : 0),
    });
  }
}
