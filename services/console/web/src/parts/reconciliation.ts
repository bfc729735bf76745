import { type Finding, FindingKind } from '@supplier/proto/reconciliation/v1/reconciliation';
import { useCallback, useEffect, useRef, useState } from 'react';
import { type Comparison, type Ending, RECONCILED, type Reconciled, reconcile } from '../reconcile.ts';
import { MOST_ROWS } from './pages.ts';

/** What comes within this time is drawn together. */
const DRAW_MS = 100;

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
  readonly ending: Ending | undefined;
}

/** What was asked of all services, and what has come of it so far. */
export interface Seen {
  readonly comparison: Comparison;
  readonly services: Readonly<Record<Reconciled, Progress>>;
  /** The first 10,000. */
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

const NOTHING_YET: Progress = { compared: 0n, ending: undefined };

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
  for (const service of RECONCILED) {
    const listener = {
      found: (finding: Finding) => {
        if (found.length < MOST_ROWS) found.push({ place: found.length, service, finding });
        else isCut = true;
        changed();
      },
      compared: (count: bigint) =>
        change(service, (before) => ({ ...before, compared: before.compared + count })),
    };
    void reconcile(service, comparison, signal, listener).then((ending) =>
      change(service, (before) => ({ ...before, ending })),
    );
  }
  draw();
}
