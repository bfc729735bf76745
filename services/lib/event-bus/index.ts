export { type Bus, connectBus } from './bus.ts';
export { startConsumer } from './consumer.ts';
export { type AfterCommit, type ConsumerOptions, RefusedEvent } from './consumer-options.ts';
export type { DomainEvent, DomainEventOf } from './domain-event.ts';
export { STREAMS, subjectOf } from './streams.ts';
