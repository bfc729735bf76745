import { type Finding, FindingKind, RepairOutcome } from '@supplier/proto/reconciliation/v1/reconciliation';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Comparison, type Ending, RECONCILED, type Reconciled, reconcile } from '../reconcile.ts';

/** What comes within this time is drawn together. */
const DRAW_MS = 100;
/** Of one service, so that none takes the place of what another finds. */
const MOST_FOUND = 2_000;
/** Services that compare at a time: a browser has six connections, for all that is shown of this console. */
const AT_A_TIME = 2;

/** Something that a service has found. */
export interface Found {
  /** Its place among all that were found. */
  readonly place: number;
  readonly service: Reconciled;
  readonly finding: Finding;
}

/** How far a service has come; no ending while it goes on. */
export interface Progress {
  readonly compared: bigint;
  /** All of them, kept or not; and those that were not put right. */
  readonly differences: number;
  readonly left: number;
  readonly ending: Ending | undefined;
}

/** What was asked of all services, and what has come of it so far. */
export interface Seen {
  readonly comparison: Comparison;
  readonly services: Readonly<Record<Reconciled, Progress>>;
  /** The first 2,000 findings of each service, of both kinds. */
  readonly differences: readonly Found[];
  /** What waits, which is no fault by itself. */
  readonly backlogs: readonly Found[];
  readonly isUnderWay: boolean;
  /** Whether more was found than is kept. */
  readonly isCut: boolean;
}

/** A comparison of all services, which goes on while its screen is open and nobody stops it. */
export interface Reconciliation {
  readonly seen: Seen | undefined;
  /** Begins, and forgets what was seen before. */
  readonly begin: (comparison: Comparison) => void;
  readonly stop: () => void;
}

/** Compares what all services hold, each by itself, so that one which fails takes nothing from the others. */
export function useReconciliation(): Reconciliation {
  const [seen, setSeen] = useState<Seen>();
  const underWay = useRef<AbortController>(undefined);
  useEffect(() => () => underWay.current?.abort(), []);
  const begin = useCallback((comparison: Comparison) => {
    underWay.current?.abort();
    const control = new AbortController();
    underWay.current = control;
    follow(comparison, control.signal, (now) => {
      // Of one that another has replaced, or whose screen was left, nothing is drawn any more.
      if (underWay.current === control) setSeen(now);
    });
  }, []);
  const stop = useCallback(() => underWay.current?.abort(), []);
  return { seen, begin, stop };
}

const NOTHING_YET: Progress = { compared: 0n, differences: 0, left: 0, ending: undefined };

/** Tells of how it stands at once, and again as it changes, many changes of a moment together. */
function follow(comparison: Comparison, signal: AbortSignal, tell: (seen: Seen) => void): void {
  let services: Seen['services'] = {
    account: NOTHING_YET,
    submission: NOTHING_YET,
    document: NOTHING_YET,
    billing: NOTHING_YET,
    webhook: NOTHING_YET,
  };
  const found: Found[] = [];
  let isCut = false;
  let isToBeDrawn = false;
  const draw = () => {
    isToBeDrawn = false;
    tell({
      comparison,
      services,
      differences: found.filter(({ finding }) => finding.kind === FindingKind.DIFFERENCE),
      backlogs: found.filter(({ finding }) => finding.kind !== FindingKind.DIFFERENCE),
      isUnderWay: Object.values(services).some(({ ending }) => ending === undefined),
      isCut,
    });
  };
  const changed = () => {
    if (isToBeDrawn) return;
    isToBeDrawn = true;
    window.setTimeout(draw, DRAW_MS);
  };
  const change = (service: Reconciled, by: (before: Progress) => Progress) => {
    services = { ...services, [service]: by(services[service]) };
    changed();
  };
  const compare = async (service: Reconciled) => {
    let kept = 0;
    const ending = await reconcile(service, comparison, signal, {
      found: (finding) => {
        if (kept < MOST_FOUND) found.push({ place: found.length, service, finding });
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
  const waiting = [...RECONCILED];
  const oneAfterAnother = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await compare(next);
  };
  for (let lane = 0; lane < AT_A_TIME; lane += 1) void oneAfterAnother();
  draw();
}
