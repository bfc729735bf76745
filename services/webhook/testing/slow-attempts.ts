import { STATUS_LINE_MS } from '../src/guarded-client/index.ts';

/*
 * Loaded into the process of the service before its own sources: gives an attempt ten times as long, so that a starved
 * machine does not let its time run out in tests that are about something else.
 */

const { setTimeout: start } = globalThis;
globalThis.setTimeout = Object.assign(
  (callback: () => void, ms?: number) => start(callback, ms === STATUS_LINE_MS ? 10 * ms : ms),
  start,
) as typeof setTimeout;
