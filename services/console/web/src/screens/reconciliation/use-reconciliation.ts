import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { type Finding, FindingKind, RepairOutcome } from '@supplier/proto/reconciliation/v1/reconciliation';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Comparison, type Ending, reconcile } from './reconcile.ts';

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

/** The progress of one service. `ending` is undefined while it is running. */
export interface Progress {
  readonly compared: bigint;
  /** All differences, kept or not. `left` counts those not repaired. */
  readonly differences: number;
  readonly left: number;
  readonly ending: Ending | undefined;
}

/** A comparison of all services and its results so far. */
export interface ComparisonResults {
  readonly comparison: Comparison;
  readonly services: Readonly<Record<StaffService, Progress>>;
  /** Up to 2,000 findings per service, both kinds together. */
  readonly differences: readonly Found[];
  /** Backlogs, which are not faults. */
  readonly backlogs: readonly Found[];
  readonly isRunning: boolean;
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

const NOT_STARTED: Progress = { compared: 0n, differences: 0, left: 0, ending: undefined };

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
        const isDifference = finding.kind === FindingKind.DIFFERENCE;
        const isLeft = isDifference && finding.repair !== RepairOutcome.REPAIRED;
        change(service, ({ differences, left, ...before }) => ({
          ...before,
          differences: differences + Number(isDifference),
          left: left + Number(isLeft),
        }));
      },
      compared: (count) => change(service, (before) => ({ ...before, compared: before.compared + count })),
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
