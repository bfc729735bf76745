/** A call within this time of an input counts as made by the person; any later one is polling. */
const RECENT_MS = 60_000;
const INPUTS = ['pointerdown', 'pointermove', 'keydown', 'wheel', 'touchstart'] as const;

// Opening the page counts as input.
let lastInput = Date.now();
const noteInput = () => {
  lastInput = Date.now();
};
for (const input of INPUTS) window.addEventListener(input, noteInput, { capture: true, passive: true });

/** Returns whether the page received input in the last minute. */
export const isActive = (): boolean => Date.now() - lastInput < RECENT_MS;
