import { flag, loosened, setting, text, urlOf } from '../config/index.ts';

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

interface Variables {
  readonly SSS_NATS_URL: string;
  readonly SSS_NATS_CA_FILE?: string | undefined;
  readonly SSS_NATS_TLS_FIRST: boolean;
  readonly SSS_NATS_CREDENTIALS_FILE?: string | undefined;
}

/** Where NATS is and how a process authenticates to it. */
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

export function natsAccess(values: Variables): NatsAccess {
  return {
    url: values.SSS_NATS_URL,
    caFile: values.SSS_NATS_CA_FILE,
    tlsFirst: values.SSS_NATS_TLS_FIRST,
    credentialsFile: values.SSS_NATS_CREDENTIALS_FILE,
  };
}
