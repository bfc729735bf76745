/** How much is done at once, and for how long; times are milliseconds. */
export interface DeliveryBounds {
  /** Attempts under way in all, until their outcome is recorded. */
  readonly total: number;
  /** Attempts under way to one endpoint. */
  readonly perEndpoint: number;
  /** Attempts under way to endpoints whose latest attempt failed: the others always find room. */
  readonly failing: number;
  /** Endpoints asked for in one claim. */
  readonly asksPerClaim: number;
  /** How long a claimed attempt is its worker's alone: longer than it can take, recording included. */
  readonly leaseMs: number;
  /** How often due retries and lost attempts are looked for. */
  readonly pollMs: number;
  /** How long attempts under way may go on after a stop, and how long their recording may then take. */
  readonly stopMs: number;
  readonly stopRecordingMs: number;
}

export const DELIVERY_BOUNDS: DeliveryBounds = {
  total: 256,
  perEndpoint: 8,
  failing: 192,
  asksPerClaim: 64,
  leaseMs: 20_000,
  pollMs: 1_000,
  stopMs: 5_000,
  stopRecordingMs: 1_500,
};
