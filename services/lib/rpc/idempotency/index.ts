export { forgetOldCalls } from './forget-old-calls.ts';
export {
  type ActOnce,
  type IdempotentCalls,
  type IdempotentCallsOptions,
  openIdempotentCalls,
  type ResumableAct,
} from './idempotent-calls.ts';
