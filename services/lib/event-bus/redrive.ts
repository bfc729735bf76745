/**
 * Command: puts dead-lettered events back where they came from.
 * `SSS_NATS_URL=nats://… node services/lib/event-bus/redrive.ts --consumer billing [--most 1000]`
 */
import { parseArgs } from 'node:util';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { ConfigError, readCommandEnvironment, urlOf } from '../config/index.ts';
import { runCommand } from '../service-runtime/index.ts';
import { ORIGINAL_SUBJECT } from './dead-letter.ts';
import { DEAD_LETTER_STREAM, deadLetterSubject } from './streams.ts';

const USAGE =
  'usage: redrive --consumer NAME [--most COUNT]   puts up to COUNT (1000) dead-lettered events back';

runCommand('redrive', async (log) => {
  const { values } = parseArgs({
    options: {
      consumer: { type: 'string' },
      most: { type: 'string', default: '1000' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    process.stdout.write(`${USAGE}\n`);
    return;
  }
  const most = Number(values.most);
  if (!values.consumer || !Number.isInteger(most) || most < 1) throw new ConfigError(USAGE);
  const env = readCommandEnvironment({ SSS_NATS_URL: urlOf(['nats:', 'tls:']) });
  const connection = await connect({ servers: env.SSS_NATS_URL, name: 'redrive' });
  try {
    const count = await redrive(connection, values.consumer, most);
    log.info({ count, consumer: values.consumer }, 'events put back');
  } finally {
    await connection.close();
  }
});

async function redrive(
  connection: Awaited<ReturnType<typeof connect>>,
  consumer: string,
  most: number,
): Promise<number> {
  const manager = await jetstreamManager(connection, { checkAPI: false });
  const client = jetstream(connection);
  const durable = `redrive-${consumer}`;
  await manager.consumers.add(DEAD_LETTER_STREAM, {
    durable_name: durable,
    ack_policy: 'explicit',
    filter_subject: deadLetterSubject(consumer),
  });
  const source = await client.consumers.get(DEAD_LETTER_STREAM, durable);
  let count = 0;
  for await (const message of await source.fetch({ max_messages: most, expires: 2_000 })) {
    const subject = message.headers?.get(ORIGINAL_SUBJECT);
    if (!subject) throw new Error('a dead letter does not say where it came from');
    await client.publish(subject, message.data, { msgID: `redrive.${consumer}.${message.seq}` });
    await message.ackAck();
    await manager.streams.deleteMessage(DEAD_LETTER_STREAM, message.seq);
    count += 1;
  }
  return count;
}
