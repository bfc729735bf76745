export { type Bus, connectBus } from './bus.ts';
export { startConsumer } from './consumer.ts';
export { type DomainEvent, type EventHandler, on } from './event-handler.ts';
export { STREAMS, subjectOf } from './streams.ts';
