import { createHmac } from 'node:crypto';

/** Long enough for a browser on a slow line to follow one redirect. */
const JOURNEY_CODE_MS = 60_000;

/** The code that a used link gives out, for the journey application to exchange once. A bearer secret. */
export interface JourneyCode {
  readonly text: string;
  readonly expiresAt: Date;
}

/**
 * The code that the use of a link at `now` gives out, which works for 60 seconds. It follows from the token and the
 * call that used the link, so that the same call, repeated because its answer was lost, gets the code that is already
 * stored, whichever of the two came first. Nobody else knows both: the holder of a link does not know the call.
 */
export function journeyCode(token: string, callId: string, now: Date): JourneyCode {
  return {
    text: createHmac('sha256', token).update(`journey-code:${callId}`).digest('base64url'),
    expiresAt: new Date(now.getTime() + JOURNEY_CODE_MS),
  };
}
