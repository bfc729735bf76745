import type { NatsAccess } from '../runtime/nats-access/index.ts';

/** Returns access to the NATS server that `npm test` starts, as a user with all permissions. */
export function testNats(): NatsAccess {
  const url = process.env.TEST_NATS_URL;
  if (!url) throw new Error('TEST_NATS_URL is not set: `npm test` starts a NATS server and sets it');
  return { url };
}
