import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type Authenticator, usernamePasswordAuthenticator } from '@nats-io/nats-core';
import type { NodeConnectionOptions } from '@nats-io/transport-node';
import { openCredentialsFile } from './credentials.ts';
import type { NatsAccess } from './settings.ts';

/**
 * The options with which a process called `name` connects. With a `tls:` URL nothing is sent to a server that offers no
 * TLS, or whose certificate is for another host or from another authority: TLS 1.2 or later, the CA file read again at
 * each connection. Answers to requests come in under `_INBOX_<name>`, which other users may not read. Throws a
 * ConfigError for credentials that cannot be read.
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

/** Answers to a process come in under subjects that begin with this and a dot. */
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
    // Given an address, the client names no host, and Node would then check the certificate for "localhost".
    ...(isIP(host)
      ? { checkServerIdentity: (_: string, peer: PeerCertificate) => checkServerIdentity(host, peer) }
      : {}),
  };
  return given;
}
