export { type Wakeable, wakeable } from './wakeable.ts';
export { createWakes, type RelayWake, relayWakes, type Wakes } from './wakes.ts';
