export { type Bus, connectBus } from './bus.ts';
export { startConsumer } from './consumer.ts';
export { type AfterCommit, type ConsumerOptions, RefusedEvent } from './consumer-options.ts';
export type { DomainEvent, DomainEventOf } from './domain-event.ts';
export { allPermissions, NATS_USERS, type NatsUser, type Permissions, permissionsOf } from './permissions.ts';
export { STREAMS, subjectOf } from './streams.ts';
export { LISTENS_TO, SUBSCRIPTIONS, type Subscription } from './subscriptions.ts';
