import type { ConnectError } from '@connectrpc/connect';

/** A connection that failed before a service could answer. */
export interface ConnectionFault {
  /** How to fix it, if known. */
  readonly hint: string | undefined;
}

/** Error codes of Node and OpenSSL for connection failures. */
const OF_CONNECTION =
  /^(?:E(?:CONN|HOST|NET|PIPE|AI_|TIMEDOUT)|ENOTFOUND$|ERR_(?:TLS|SSL)_|.*CERT|UNABLE_TO_|INVALID_CA$)/;

const HINTS: readonly (readonly [RegExp, string])[] = [
  [/ALTNAME/, 'its certificate is for another name: --tls-server-name of `sss contexts add` says for which'],
  [/EXPIRED|NOT_YET_VALID/, 'its certificate is not good at the time of this machine'],
  [
    /ERR_SSL_.*(?:CERTIFICATE|HANDSHAKE|UNKNOWN_CA)/,
    'it asks for a client certificate that it trusts: --client-certificate and --client-key of `sss contexts add`',
  ],
  [
    /SELF_SIGNED|UNABLE_TO_|INVALID_CA/,
    'its authority is not known to this machine: --ca of `sss contexts add` names its file',
  ],
];

/** Returns why the connection failed, or undefined when a service has answered. */
export function connectionFault({ cause }: ConnectError): ConnectionFault | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (typeof code !== 'string' || !OF_CONNECTION.test(code)) return undefined;
  return { hint: HINTS.find(([about]) => about.test(code))?.[1] };
}
