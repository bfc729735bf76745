export {
  type ActOnce,
  type IdempotentCalls,
  type IdempotentCallsOptions,
  openIdempotentCalls,
  type ResumableAction,
} from './idempotent-calls.ts';
export { forgetOldCalls } from './stored-call.ts';
