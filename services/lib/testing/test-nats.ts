import type { NatsAccess } from '../runtime/nats-access/index.ts';

/** The NATS that `npm test` starts, as somebody who may do everything there. */
export function testNats(): NatsAccess {
  const url = process.env.TEST_NATS_URL;
  if (!url) throw new Error('TEST_NATS_URL is not set: `npm test` starts a NATS server and sets it');
  return { url };
}
