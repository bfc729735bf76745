/** How far an event has come, as the database spells it. */
export const EVENT_STATES = [
  /** Waits for an attempt, or is in one. */
  'pending',
  'delivered',
  /** Its last attempt has failed. */
  'exhausted',
  /** A later state of the same submission took its place before anything was attempted. */
  'superseded',
  /** Its endpoint was disabled for too long. */
  'expired',
  /** No endpoint was active when the change happened. */
  'dropped',
] as const;

export type EventState = (typeof EVENT_STATES)[number];
