import { DeliveryState, type Event } from '@supplier/proto/webhook/v1/webhook';

/** The states of events whose delivery failed. */
export const FAILED_STATES: readonly DeliveryState[] = [DeliveryState.EXHAUSTED, DeliveryState.EXPIRED];

/** Returns whether the delivery failed and was not repeated. */
export const isUndelivered = ({ state, redeliveredAs }: Event): boolean =>
  FAILED_STATES.includes(state) && redeliveredAs === '';
