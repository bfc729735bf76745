import type { ConnectError } from '@connectrpc/connect';

/** A connection that failed before a service could answer. */
export interface ConnectionFailure {
  /** How to fix it, if known. */
  readonly hint: string | undefined;
}

/** Error codes of Node and OpenSSL for connection failures. */
const CONNECTION_ERRORS =
  /^(?:E(?:CONN|HOST|NET|PIPE|AI_|TIMEDOUT)|ENOTFOUND$|ERR_(?:TLS|SSL)_|.*CERT|UNABLE_TO_|INVALID_CA$)/;

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/ALTNAME/, 'its certificate has another name: set it with `sss contexts add --tls-server-name`'],
  [/EXPIRED|NOT_YET_VALID/, "its certificate has expired or is not valid yet, by this machine's clock"],
  [
    /ERR_SSL_.*(?:CERTIFICATE|HANDSHAKE|UNKNOWN_CA)/,
    'it requires a client certificate that it trusts: set it with `sss contexts add --client-certificate --client-key`',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|INVALID_CA/,
    'this machine does not trust its certificate authority: set it with `sss contexts add --ca`',
  ],
];

/** Returns why the connection failed, or undefined when a service has answered. */
export function connectionFailure({ cause }: ConnectError): ConnectionFailure | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code !== 'string' || !CONNECTION_ERRORS.test(code)) return undefined;
  return { hint: HINTS.find(([about]) => about.test(code))?.[1] };
}
