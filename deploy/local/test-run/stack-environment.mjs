import { readFileSync } from 'node:fs';

/**
 * What tests are told of the stack they run against: where its description lies, and the PostgreSQL and NATS in which
 * a unit or service test may make databases and streams of its own; of a secure stack also who signed what they show.
 */
export function stackEnvironment(stackFile) {
  const { postgres, nats, tls } = JSON.parse(readFileSync(stackFile, 'utf8'));
  return {
    STACK_FILE: stackFile,
    TEST_POSTGRES_URL: postgres,
    TEST_NATS_URL: nats,
    ...(tls ? { TEST_CA_FILE: tls.authority } : {}),
  };
}
