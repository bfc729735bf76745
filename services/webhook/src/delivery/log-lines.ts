import type { Logger } from '@supplier/lib/log';
import type { Recovery } from '../db/endpoint-health.ts';
import type { Outcome } from '../domain/attempt.ts';

/** One line for every attempt: failures where operators look, successes where developers do. */
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
  if (!recorded) log.warn(fields, 'an attempt was already closed when its outcome became known');
  else if (outcome.error === undefined) log.debug(fields, 'an event was delivered');
  else if (outcome.verdict.state === 'exhausted')
    log.warn(fields, 'the last attempt failed; delivery has ended');
  else log.info(fields, 'an attempt failed');
}

/** One line for an endpoint that works again after operators were told that it does not. */
export function logRecovery(log: Logger, { endpointId, failingSince, recoveredAt }: Recovery): void {
  const duration = recoveredAt.getTime() - failingSince.getTime();
  log.info({ endpoint_id: endpointId, duration_ms: duration }, 'a failing endpoint has recovered');
}
