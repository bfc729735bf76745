import { z } from 'zod';
import { port, text, urlOf, whole } from '../config/index.ts';

/** The variables of every internal service. A service adds its own to these and reads them all at once. */
export const serviceVariables = {
  SSS_HOST: text().default('127.0.0.1'),
  SSS_RPC_HTTP1_PORT: port(),
  SSS_RPC_H2C_PORT: port(),
  SSS_DATABASE_URL: urlOf(['postgres:', 'postgresql:']),
  SSS_DATABASE_POOL: whole(2, 200).default(10),
  SSS_NATS_URL: urlOf(['nats:', 'tls:']),
  SSS_ISSUERS_FILE: text(),
  SSS_SERVICE_TOKEN_DIR: text(),
  SSS_KEY_RING_FILE: text(),
  SSS_LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error'], 'is not a log level').default('info'),
};

type Variables = z.infer<z.ZodObject<typeof serviceVariables>>;

export interface ServiceConfig {
  readonly host: string;
  readonly http1Port: number;
  readonly h2cPort: number;
  readonly databaseUrl: string;
  /** The most connections to PostgreSQL. */
  readonly databasePool: number;
  readonly natsUrl: string;
  readonly issuersFile: string;
  readonly serviceTokenDir: string;
  readonly keyRingFile: string;
  readonly logLevel: string;
}

export function serviceConfig(values: Variables): ServiceConfig {
  return {
    host: values.SSS_HOST,
    http1Port: values.SSS_RPC_HTTP1_PORT,
    h2cPort: values.SSS_RPC_H2C_PORT,
    databaseUrl: values.SSS_DATABASE_URL,
    databasePool: values.SSS_DATABASE_POOL,
    natsUrl: values.SSS_NATS_URL,
    issuersFile: values.SSS_ISSUERS_FILE,
    serviceTokenDir: values.SSS_SERVICE_TOKEN_DIR,
    keyRingFile: values.SSS_KEY_RING_FILE,
    logLevel: values.SSS_LOG_LEVEL,
  };
}
