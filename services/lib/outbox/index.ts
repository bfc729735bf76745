export { appendEvent, appendEvents, newEvent, type OutboxEvent } from './outbox-event.ts';
export { startRelay } from './relay.ts';
export { republishAggregate, republishSince } from './republish.ts';
