export { type Backlog, type PendingRows, queueOf } from './queue.sql.ts';
export { type RetryDelays, retryDelayMs } from './retry-delays.ts';
