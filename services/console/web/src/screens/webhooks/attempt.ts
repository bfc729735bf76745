import { timestampDate } from '@bufbuild/protobuf/wkt';
import type { Attempt } from '@supplier/proto/webhook/v1/webhook';
import { formatDuration, formatTime } from '../../format.ts';

/** What the error classes of the contract mean. */
const ERRORS: Readonly<Record<string, string>> = {
  timeout: 'Timed out',
  dns: 'DNS lookup failed',
  connect: 'Connection failed',
  tls: 'TLS failed',
  address_refused: 'Address not allowed',
  reset: 'Connection reset',
  interrupted: 'Interrupted',
};

/** Returns the result of an attempt: its status code, or why there is none. */
export const resultOf = ({ statusCode, errorClass, endedAt }: Attempt): string => {
  if (statusCode !== undefined) return String(statusCode);
  return endedAt || errorClass !== '' ? (ERRORS[errorClass] ?? errorClass) : 'In progress';
};

/** Returns why an attempt failed: "HTTP 404", "Timed out". Of one that succeeded, its status. */
export const causeOf = (attempt: Attempt): string =>
  attempt.statusCode === undefined ? resultOf(attempt) : `HTTP ${attempt.statusCode}`;

export const PHASES = [
  ['DNS', 'dnsMs'],
  ['connect', 'connectMs'],
  ['TLS', 'tlsMs'],
  ['response', 'statusMs'],
] as const;

/** Returns the phases of an attempt that it reached, in order, with their durations in milliseconds. */
export const phasesOf = (attempt: Attempt) =>
  PHASES.flatMap(([name, field]) => {
    const ms = attempt[field];
    return ms === undefined ? [] : [{ name, ms }];
  });

/** Returns the duration of an attempt, in milliseconds: all of it once it has ended, or the phases that it reached. */
export const durationOf = (attempt: Attempt): number =>
  attempt.startedAt && attempt.endedAt
    ? timestampDate(attempt.endedAt).getTime() - timestampDate(attempt.startedAt).getTime()
    : phasesOf(attempt).reduce((sum, { ms }) => sum + ms, 0);

/** Returns the colour of an attempt's outcome. */
export const colorOf = ({ errorClass, endedAt, statusCode }: Attempt): 'red' | 'green' | 'gray' => {
  if (errorClass !== '') return 'red';
  return endedAt !== undefined || statusCode !== undefined ? 'green' : 'gray';
};

/** Returns the width of an attempt's bar, in pixels: the longest attempt's bar has `widest`. */
export const barWidth = (ms: number, longestMs: number, widest: number): number =>
  longestMs > 0 ? Math.max(LEAST_PX, Math.round((ms / longestMs) * widest)) : 0;
const LEAST_PX = 2;

export const formatPhases = (attempt: Attempt): string =>
  phasesOf(attempt)
    .map(({ name, ms }) => `${name} ${formatDuration(ms)}`)
    .join(', ');

/** Formats an attempt: time, result, address and the duration of its phases. */
export function formatAttempt(attempt: Attempt): string {
  const { startedAt, resolvedIp } = attempt;
  const phases = formatPhases(attempt);
  return `${resultOf(attempt)}${resolvedIp ? `, ${resolvedIp}` : ''}, ${formatTime(startedAt)}${phases ? `: ${phases}` : ''}`;
}
