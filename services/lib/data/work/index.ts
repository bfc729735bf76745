export { startWork, type Worker } from './start-work.ts';
export type { Work, WorkResult, WorkRow, WorkSource } from './work.ts';
export { type ParkedRow, parkedRows, releaseParked, workQueue } from './work-queue.ts';
