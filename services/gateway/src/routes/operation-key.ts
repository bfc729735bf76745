import { text } from '../validation/field-types.ts';

/** The supplier's name for one attempt at an operation, under which it may be repeated. */
export const operationIdempotencyKey = text(8, 128);
