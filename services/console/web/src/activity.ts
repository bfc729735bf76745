/** A call within this time of an input counts as made by the person; any later one is polling. */
const RECENT_MS = 60_000;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

/** Personal details are shown until two minutes after the last input, and for ten minutes at most. */
const SHOWN_MS = 120_000;
const SHOWN_AT_MOST_MS = 600_000;

// Opening the page counts as input.
let lastInput = Date.now();
const noteInput = () => {
  lastInput = Date.now();
};
for (const input of INPUTS) window.addEventListener(input, noteInput, { capture: true, passive: true });

/** Returns for how much longer something is shown, in milliseconds. */
export const leftToShow = (shownAt: number, now = Date.now()): number =>
  Math.min(Math.max(shownAt, lastInput) + SHOWN_MS, shownAt + SHOWN_AT_MOST_MS) - now;

/** Returns whether the page received input in the last minute. */
export const isActive = (): boolean => Date.now() - lastInput < RECENT_MS;
