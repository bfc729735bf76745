import { isIP } from 'node:net';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';
import { type Authenticator, usernamePasswordAuthenticator } from '@nats-io/nats-core';
import type { NodeConnectionOptions } from '@nats-io/transport-node';
import type { z } from 'zod';
import { flag, loosened, setting, text, urlOf } from '../config/index.ts';
import { openCredentialsFile } from './credentials.ts';

/** The variables of every process that connects to NATS. */
export const natsVariables = {
  SSS_NATS_URL: setting(urlOf(['nats:', 'tls:']), 'NATS: `tls://host:port`'),
  SSS_NATS_CA_FILE: setting(text().optional(), 'PEM certificate authorities of NATS; unset: Node’s default'),
  SSS_NATS_TLS_FIRST: setting(
    flag().default(false),
    'for servers with [`handshake_first`](operating.md#nats-users-and-tls)',
  ),
  SSS_NATS_CREDENTIALS_FILE: setting(
    loosened(text().optional(), (path) => (path ? undefined : 'is missing')),
    '[NATS user](operating.md#nats-users-and-tls); required except in a local stack',
  ),
};

export interface NatsAccess {
  /** `tls:` requires TLS; `nats:` is plain unless the server requires TLS. */
  readonly url: string;
  /** PEM file of the authorities that may have signed the server's certificate; by default Node's own. */
  readonly caFile?: string | undefined;
  /** TLS from the first byte. Otherwise the server speaks first, in plain text, and TLS follows. */
  readonly tlsFirst?: boolean;
  /** See `openCredentialsFile`. If absent, the user in the URL is used, if any. */
  readonly credentialsFile?: string | undefined;
}

export function natsAccess(values: z.infer<z.ZodObject<typeof natsVariables>>): NatsAccess {
  return {
    url: values.SSS_NATS_URL,
    caFile: values.SSS_NATS_CA_FILE,
    tlsFirst: values.SSS_NATS_TLS_FIRST,
    credentialsFile: values.SSS_NATS_CREDENTIALS_FILE,
  };
}

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
  if (credentialsFile) return openCredentialsFile(credentialsFile, onUnreadable);
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
