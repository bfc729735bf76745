/** Bounds on concurrency and time; times are milliseconds. */
export interface DeliveryBounds {
  /** All attempts under way, until their outcome is recorded. */
  readonly total: number;
  /** Attempts under way to one endpoint, however well it does. */
  readonly perEndpoint: number;
  /** Attempts under way to endpoints whose latest attempt failed. */
  readonly failing: number;
  /**
   * The same together with those to endpoints without an attempt so far: the rest is reserved for working endpoints.
   */
  readonly unproven: number;
  /** Endpoints served by one claim. */
  readonly endpointsPerClaim: number;
  /** How long a claimed attempt belongs to its worker: longer than it can take, recording included. */
  readonly leaseMs: number;
  /** How often to look for due retries and lost attempts. */
  readonly pollMs: number;
  /** How long attempts under way may go on after a stop, and how long their recording may then take. */
  readonly stopMs: number;
  readonly stopRecordingMs: number;
}

/**
 * Sized with `npm run bench`. One endpoint needs 32 to 64 attempts at once to receive all that a worker can send over a
 * fast line, and more would only cost connections; 64 at 100 ms each are 640 a second. One hanging endpoint can occupy
 * at most an eighth of all places, for ten seconds; concurrency.ts says how several share.
 */
export const DELIVERY_BOUNDS: DeliveryBounds = {
  total: 512,
  perEndpoint: 64,
  failing: 256,
  unproven: 384,
  endpointsPerClaim: 64,
  leaseMs: 20_000,
  pollMs: 1_000,
  stopMs: 5_000,
  stopRecordingMs: 1_500,
};
