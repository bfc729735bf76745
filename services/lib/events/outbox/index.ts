export {
  appendEvent,
  appendEvents,
  appending,
  eventValues,
  newEvent,
  type OutboxEvent,
} from './outbox-event.ts';
export { repeatableDays } from './partitions.ts';
export { requestReplay } from './refill.ts';
export { type Relay, startRelay } from './relay.ts';
