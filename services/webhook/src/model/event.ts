import { Environment } from '@supplier/proto/common/v1/status';
import { StatusChange } from '@supplier/proto/submission/v1/events';

/** The states of an event, as spelled in the database. */
export const EVENT_STATES = [
  /** Awaits an attempt, or has one in progress. */
  'pending',
  'delivered',
  /** Its last attempt has failed. */
  'exhausted',
  /** A later state of the same submission replaced it before its first attempt. */
  'superseded',
  /** Its endpoint was disabled for too long. */
  'expired',
  /** No endpoint was active when the change happened. */
  'dropped',
] as const;

export type EventState = (typeof EVENT_STATES)[number];

/** The kind of change that an event reports, as spelled in the database; the last two are requested by staff. */
export type EventChange =
  | 'decided'
  | 'billing_decided'
  | 'returned'
  | 'handoff_available'
  | 'test'
  | 'redelivery';

/**
 * Returns the database's spelling of a change of the submission service; undefined for one that this build does not
 * know.
 */
export const eventChangeOf = (change: StatusChange): EventChange | undefined => CHANGES[change];

const CHANGES: Readonly<Record<StatusChange, EventChange | undefined>> = {
  [StatusChange.UNSPECIFIED]: undefined,
  [StatusChange.DECIDED]: 'decided',
  [StatusChange.BILLING_DECIDED]: 'billing_decided',
  [StatusChange.RETURNED]: 'returned',
  [StatusChange.HANDOFF_AVAILABLE]: 'handoff_available',
  [StatusChange.TEST]: 'test',
  [StatusChange.REDELIVERY]: 'redelivery',
};

/** An environment as spelled in the database. */
export type EnvironmentName = 'sandbox' | 'production';

/** Returns the spelling of an environment; undefined when it is unspecified or unknown to this build. */
export function environmentNameOf(environment: Environment): EnvironmentName | undefined {
  if (environment === Environment.SANDBOX) return 'sandbox';
  if (environment === Environment.PRODUCTION) return 'production';
  return undefined;
}

export function environmentOf(name: EnvironmentName): Environment {
  return name === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION;
}
