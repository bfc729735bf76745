/** What is known of an endpoint: nothing yet, or how its latest attempt ended. */
export type Standing = 'new' | 'proven' | 'failing';

/** How many attempts may be under way at once to one endpoint, as far as it has proved itself. */
export interface EndpointWindow {
  readonly size: number;
  readonly standing: Standing;
}

/** An endpoint that nothing is known of gets one attempt: if it hangs, it holds up one place and not many. */
export const NEW_WINDOW: EndpointWindow = { size: 1, standing: 'new' };

/** Doubles with every success up to `maximum`, and falls back to one attempt at a time with every failure. */
export function windowAfter(window: EndpointWindow, succeeded: boolean, maximum: number): EndpointWindow {
  if (!succeeded) return { size: 1, standing: 'failing' };
  return { size: Math.min(maximum, window.size * 2), standing: 'proven' };
}
