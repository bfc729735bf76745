import type { Attempt } from '@supplier/proto/webhook/v1/webhook';
import { formatTime } from '../format.ts';

/** Formats one delivery attempt: result, address, and the duration of its phases. */
export function attemptOf(attempt: Attempt): string {
  const { startedAt, statusCode, errorClass, dnsMs, connectMs, tlsMs, statusMs, resolvedIp } = attempt;
  const phases = Object.entries({ dns: dnsMs, connect: connectMs, tls: tlsMs, answer: statusMs })
    .flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${ms.toFixed(1)} ms`]))
    .join(', ');
  const end =
    statusCode === undefined
      ? errorClass || 'under way'
      : `${statusCode}${errorClass ? ` (${errorClass})` : ''}`;
  return `${formatTime(startedAt)}: ${end}${resolvedIp ? ` from ${resolvedIp}` : ''}${phases ? `, ${phases}` : ''}`;
}
