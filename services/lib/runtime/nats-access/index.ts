import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type Authenticator, usernamePasswordAuthenticator } from '@nats-io/nats-core';
import type { NodeConnectionOptions } from '@nats-io/transport-node';
import { openCredentialsFile } from './credentials.ts';
import type { NatsAccess } from './nats-settings.ts';

export { type CredentialsFile, openCredentialsFile } from './credentials.ts';
export { type NatsAccess, natsAccess, natsVariables } from './nats-settings.ts';

/**
 * Returns the connection options of a process called `name`. With a `tls:` URL nothing is sent to a server without TLS,
 * or whose certificate is for another host or from another authority: TLS 1.2 or later, with the CA file read again for
 * each connection. Answers to requests arrive under `_INBOX_<name>`, which other users may not read. Throws a
 * ConfigError for unreadable credentials.
 */
export function natsConnectOptions(
  name: string,
  access: NatsAccess,
  onUnreadable: (error: Error) => void = () => {},
): NodeConnectionOptions {
  const { protocol, host, hostname } = new URL(access.url);
  const authenticator = authenticatorOf(access, onUnreadable);
  return {
    name,
    servers: host,
    inboxPrefix: inboxPrefixOf(name),
    ...(authenticator ? { authenticator } : {}),
    ...(protocol === 'tls:' ? { tls: tlsOptions(access, hostname.replace(/^\[|\]$/g, '')) } : {}),
  };
}

/** Subject prefix, followed by a dot, of answers to a process. */
export const inboxPrefixOf = (name: string): string => `_INBOX_${name}`;

function authenticatorOf(
  { url, credentialsFile }: NatsAccess,
  onUnreadable: (error: Error) => void,
): Authenticator | undefined {
  if (credentialsFile) return openCredentialsFile(credentialsFile, onUnreadable).authenticator;
  const { username, password } = new URL(url);
  if (!username) return undefined;
  return usernamePasswordAuthenticator(decodeURIComponent(username), decodeURIComponent(password));
}

/** The client passes options that it does not know on to Node. */
function tlsOptions(
  { caFile, tlsFirst = false }: NatsAccess,
  host: string,
): NonNullable<NodeConnectionOptions['tls']> {
  const given = {
    handshakeFirst: tlsFirst,
    minVersion: 'TLSv1.2',
    ...(caFile ? { caFile } : {}),
    // For an IP address the client passes no host name, and Node would then check the certificate for "localhost".
    ...(isIP(host)
      ? { checkServerIdentity: (_: string, peer: PeerCertificate) => checkServerIdentity(host, peer) }
      : {}),
  };
  return given;
}
