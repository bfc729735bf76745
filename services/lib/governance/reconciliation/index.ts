export { lagReader } from './read-backlog.ts';
export { type Comparison, type Difference, reconciliationRoutes, type Span } from './reconciliation-rpcs.ts';
