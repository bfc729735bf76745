/** How many attempts may be under way at once to one endpoint, as far as it has proved itself. */
export interface EndpointWindow {
  readonly size: number;
  /** Whether the latest attempt failed. */
  readonly failing: boolean;
}

/** An endpoint that nothing is known of gets one attempt: if it hangs, it holds up one place and not many. */
export const NEW_WINDOW: EndpointWindow = { size: 1, failing: false };

/** Doubles with every success up to `maximum`, and falls back to one attempt at a time with every failure. */
export function windowAfter(window: EndpointWindow, succeeded: boolean, maximum: number): EndpointWindow {
  if (!succeeded) return { size: 1, failing: true };
  return { size: Math.min(maximum, window.size * 2), failing: false };
}
