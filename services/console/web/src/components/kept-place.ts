import type { VirtualItem, Virtualizer } from '@tanstack/react-virtual';
import type { MeanHeight } from './mean-height.ts';

interface Place {
  readonly initialOffset: number;
  /** Heights of the rows above it, without which it would be somewhere else. */
  readonly initialMeasurementsCache: VirtualItem[];
  readonly heights: MeanHeight;
}

const MAX_KEPT = 50;
const kept = new Map<string, Place>();

/** The entry of the browser's history that is shown, as the router names it. */
const entry = (): string => window.history.state?.__TSR_key ?? '';

/** Returns where a list was left at this entry of the history: after Back, a person reads on there. */
export const placeOf = (label: string): Place | undefined => kept.get(`${entry()} ${label}`);

/** Returns whether a list was already read at this entry of the history. */
export const wasRead = (): boolean => [...kept.keys()].some((key) => key.startsWith(`${entry()} `));

/** Keeps where a list is. */
export function keepPlace(label: string, list: Virtualizer<HTMLElement, Element>, heights: MeanHeight): void {
  const key = `${entry()} ${label}`;
  kept.delete(key);
  kept.set(key, {
    initialOffset: list.scrollOffset ?? 0,
    initialMeasurementsCache: list.takeSnapshot(),
    heights,
  });
  const [oldest] = kept.keys();
  if (kept.size > MAX_KEPT && oldest !== undefined) kept.delete(oldest);
}
