import { STATUS_LINE_MS } from '../src/guarded-client/index.ts';

/*
 * Loaded into the service process before its own sources: multiplies an attempt's time limit by ten, so that attempts
 * do not time out on an overloaded machine in tests about something else.
 */

const { setTimeout: start } = globalThis;
globalThis.setTimeout = Object.assign(
  (callback: () => void, ms?: number) => start(callback, ms === STATUS_LINE_MS ? 10 * ms : ms),
  start,
) as typeof setTimeout;
