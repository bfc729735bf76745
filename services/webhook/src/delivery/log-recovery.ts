import type { Logger } from '@supplier/lib/log';
import type { Recovery } from '../db/endpoint-health.ts';

/** One line for an endpoint that works again after operators were told that it does not. */
export function logRecovery(log: Logger, { endpointId, failingSince, recoveredAt }: Recovery): void {
  const duration = recoveredAt.getTime() - failingSince.getTime();
  log.info({ endpoint_id: endpointId, duration_ms: duration }, 'a failing endpoint has recovered');
}
