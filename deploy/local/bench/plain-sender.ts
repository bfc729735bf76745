// Posts signed bodies and does nothing else: the most that can be sent from one process on this machine, against which
// the delivery of recorded events is held. Arguments: URL, file of the certificate authority, number of requests.
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { eventBody } from './status-events.ts';

const CONNECTIONS = 32;
const SECRET = 'whsec_of-nobody';

const [url = '', authority = '', count = '0'] = process.argv.slice(2);
process.on('disconnect', () => process.exit(0));
const pool = new Pool(url, { connections: CONNECTIONS, connect: { ca: readFileSync(authority) } });
const requests = Number(count);
const { id, body } = eventBody(new Date());
let sent = 0;

await Promise.all(Array.from({ length: CONNECTIONS }, post));
const started = performance.now();
sent = 0;
await Promise.all(Array.from({ length: CONNECTIONS }, sendAll));
process.send?.({ perSecond: requests / ((performance.now() - started) / 1_000) });

async function sendAll(): Promise<void> {
  while (sent < requests) await post();
}

async function post(): Promise<void> {
  sent += 1;
  const timestamp = String(Math.floor(Date.now() / 1_000));
  const mac = createHmac('sha256', SECRET).update(`${timestamp}.`).update(body).digest('hex');
  const answer = await pool.request({
    method: 'POST',
    path: '/plain',
    headers: {
      'content-type': 'application/json',
      'svc-webhook-id': id,
      'svc-webhook-timestamp': timestamp,
      'svc-webhook-signature': `v1=${mac}`,
    },
    body,
  });
  await answer.body.dump();
  if (answer.statusCode !== 200) throw new Error(`the receiver answered ${answer.statusCode}`);
}
