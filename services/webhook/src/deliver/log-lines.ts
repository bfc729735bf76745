import type { Logger } from '@supplier/lib/runtime/log';
import type { Outcome } from '../model/attempt.ts';
import type { Recovery } from '../store/endpoint-health.sql.ts';

/**
 * One line for every attempt: the end of a delivery is a warning, a failure is information, a success is for debugging.
 */
export function logOutcome(log: Logger, outcome: Outcome, recorded: boolean): void {
  const fields = {
    endpoint_id: outcome.endpointId,
    event_id: outcome.eventId,
    attempt: outcome.number,
    status: outcome.statusCode,
    error_class: outcome.error,
    duration_ms: outcome.statusMs,
    state: outcome.verdict.state,
  };
  if (!recorded) log.warn(fields, 'attempt already closed');
  else if (outcome.error === undefined) log.debug(fields, 'event delivered');
  else if (outcome.verdict.state === 'exhausted') log.warn(fields, 'delivery exhausted');
  else log.info(fields, 'attempt failed');
}

/** One line for an endpoint that works again after operators were notified that it was failing. */
export function logRecovery(log: Logger, { endpointId, failingSince, recoveredAt }: Recovery): void {
  const duration = recoveredAt.getTime() - failingSince.getTime();
  log.info({ endpoint_id: endpointId, duration_ms: duration }, 'endpoint recovered');
}
