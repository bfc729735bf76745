import { httpUrl, postgresUrl, readCommandEnvironment, text } from '../config/index.ts';
import { type TlsFiles, tlsFiles, tlsVariables } from '../tls/index.ts';

/** Settings of a `reconcile` command. */
export interface ReconcileConfig {
  readonly databaseUrl: string;
  readonly submissionUrl: string;
  readonly serviceTokenDir: string;
  readonly tls: TlsFiles;
}

const VARIABLES = {
  SSS_DATABASE_URL: postgresUrl(),
  SSS_SUBMISSION_URL: httpUrl(),
  SSS_SERVICE_TOKEN_DIR: text(),
  ...tlsVariables,
};

/** The part of the service's configuration that the command needs: it runs beside the service, in its environment. */
export function readReconcileConfig(env: NodeJS.ProcessEnv = process.env): ReconcileConfig {
  const values = readCommandEnvironment(VARIABLES, env);
  return {
    databaseUrl: values.SSS_DATABASE_URL,
    submissionUrl: values.SSS_SUBMISSION_URL,
    serviceTokenDir: values.SSS_SERVICE_TOKEN_DIR,
    tls: tlsFiles(values),
  };
}
