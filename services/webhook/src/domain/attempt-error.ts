/** What a failed attempt can have failed of; the spelling is that of the staff interface and of the database. */
export const ATTEMPT_ERRORS = [
  /** A status line arrived, and it was not 2xx. */
  'status',
  /** The time of the attempt ran out before the status line. */
  'timeout',
  /** The host's name did not resolve. */
  'dns',
  /** No TCP connection came about. */
  'connect',
  /** No TLS session came about, or the certificate was not accepted. */
  'tls',
  /** The host has an address that nothing may be sent to. */
  'address_refused',
  /** The conversation broke off before a whole status line, or made no sense. */
  'reset',
  /** Nobody was left to see how the attempt ended. */
  'interrupted',
] as const;

export type AttemptError = (typeof ATTEMPT_ERRORS)[number];
