import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { type Finding, FindingKind } from '@supplier/proto/reconciliation/v1/reconciliation';
import { useCallback, useEffect, useRef, useState } from 'react';
import {
  type ComparisonProgress,
  NOT_STARTED,
  type Progress,
  withCompared,
  withFinding,
} from './progress.ts';
import { type Comparison, reconcile } from './reconcile.ts';

/** Changes within this time are rendered together. */
const RENDER_MS = 100;
/** Maximum findings kept per service, so that no service crowds out another's. */
const MAX_FINDINGS = 2_000;
/** Services compared concurrently. A browser allows six connections for the whole console. */
const MAX_CONCURRENT = 2;

/** A finding and the service that reported it. */
export interface Found {
  /** Its index among all findings. */
  readonly place: number;
  readonly service: StaffService;
  readonly finding: Finding;
}

/** A comparison of all services and its results so far. */
export interface ComparisonResults extends ComparisonProgress {
  /** Up to 2,000 findings per service, both kinds together. */
  readonly differences: readonly Found[];
  /** Backlogs, which are not faults. */
  readonly backlogs: readonly Found[];
  /** Whether there were more findings than are kept. */
  readonly isCut: boolean;
}

/** A comparison of all services. It runs until it ends, is stopped or its screen is closed. */
export interface Reconciliation {
  readonly results: ComparisonResults | undefined;
  /** Starts a comparison and discards the previous results. */
  readonly begin: (comparison: Comparison) => void;
  readonly stop: () => void;
}

/** Compares the records of all services. Each runs independently, so a failing one doesn't affect the others. */
export function useReconciliation(): Reconciliation {
  const [results, setResults] = useState<ComparisonResults>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const begin = useCallback((comparison: Comparison) => {
    running.current?.abort();
    const control = new AbortController();
    running.current = control;
    follow(comparison, control.signal, (now) => {
      // Ignore results of a comparison that was replaced or whose screen was closed.
      if (running.current === control) setResults(now);
    });
  }, []);
  const stop = useCallback(() => running.current?.abort(), []);
  return { results, begin, stop };
}

/** Runs the comparison. Calls `onChange` immediately and after changes, batching frequent ones. */
function follow(
  comparison: Comparison,
  signal: AbortSignal,
  onChange: (results: ComparisonResults) => void,
): void {
  let services: ComparisonResults['services'] = {
    account: NOT_STARTED,
    submission: NOT_STARTED,
    document: NOT_STARTED,
    billing: NOT_STARTED,
    webhook: NOT_STARTED,
  };
  const found: Found[] = [];
  let isCut = false;
  let isRenderPending = false;
  const render = () => {
    isRenderPending = false;
    onChange({
      comparison,
      services,
      differences: found.filter(({ finding }) => finding.kind === FindingKind.DIFFERENCE),
      backlogs: found.filter(({ finding }) => finding.kind !== FindingKind.DIFFERENCE),
      isRunning: Object.values(services).some(({ ending }) => ending === undefined),
      isCut,
    });
  };
  const changed = () => {
    if (isRenderPending) return;
    isRenderPending = true;
    window.setTimeout(render, RENDER_MS);
  };
  const change = (service: StaffService, by: (before: Progress) => Progress) => {
    services = { ...services, [service]: by(services[service]) };
    changed();
  };
  const compare = async (service: StaffService) => {
    let kept = 0;
    const ending = await reconcile(service, comparison, signal, {
      found: (finding) => {
        if (kept < MAX_FINDINGS) found.push({ place: found.length, service, finding });
        else isCut = true;
        kept += 1;
        change(service, (before) => withFinding(before, finding));
      },
      compared: (count) => change(service, (before) => withCompared(before, count)),
    });
    change(service, (before) => ({ ...before, ending }));
  };
  const waiting = [...STAFF_SERVICES];
  const oneAfterAnother = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await compare(next);
  };
  for (let lane = 0; lane < MAX_CONCURRENT; lane += 1) void oneAfterAnother();
  render();
}
