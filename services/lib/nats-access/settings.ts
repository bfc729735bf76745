import { flag, loosened, text, urlOf } from '../config/index.ts';

/** The variables of every process that connects to NATS. */
export const natsVariables = {
  SSS_NATS_URL: urlOf(['nats:', 'tls:']),
  SSS_NATS_CA_FILE: text().optional(),
  SSS_NATS_TLS_FIRST: flag().default(false),
  SSS_NATS_CREDENTIALS_FILE: loosened(text().optional(), (path) => (path ? undefined : 'is missing')),
};

interface Variables {
  readonly SSS_NATS_URL: string;
  readonly SSS_NATS_CA_FILE?: string | undefined;
  readonly SSS_NATS_TLS_FIRST: boolean;
  readonly SSS_NATS_CREDENTIALS_FILE?: string | undefined;
}

/** Where NATS is and how a process shows who it is. */
export interface NatsAccess {
  /** `tls:` is encrypted whatever the server says; `nats:` is plain unless the server wants TLS. */
  readonly url: string;
  /** Authorities that may have signed the server's certificate, as PEM; without one, those that Node knows. */
  readonly caFile?: string | undefined;
  /** TLS from the first byte. Without it the server speaks first, in plain text, and TLS follows. */
  readonly tlsFirst?: boolean;
  /** See `openCredentialsFile`. Without one, the user that the URL names, if any. */
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
