export { type Bus, connectBus } from './bus.ts';
export { type AfterCommit, type ConsumerOptions, startConsumer } from './consumer.ts';
export type { DomainEvent, DomainEventOf } from './domain-event.ts';
export { STREAMS, subjectOf } from './streams.ts';
