// A webhook receiver that is as fast as possible, for measurements. It returns 200 for everything, counts distinct
// events, checks the signature of every hundredth, and records the progress of a series of submissions. Controlled over IPC.
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { verifySignature } from '../../deploy/local/receiver/verify-signature.ts';
import { type SubmissionArrivals, submissionFollower } from './leads/submission-follower.ts';

/** A request to the receiver. */
export interface ReceiverOrder {
  /** Signing secrets to check with from now on, by path. */
  readonly secrets?: Readonly<Record<string, string>>;
  /** From now on, follows submissions with references of the form `SERIES-NUMBER`; forgets earlier ones. */
  readonly follow?: string;
}

/** The totals since the start, and the progress of the followed submissions. */
export interface ReceiverReport {
  readonly distinct: number;
  /** The number of checked signatures that were valid. */
  readonly genuine: number;
  readonly forged: number;
  readonly submissions: SubmissionArrivals;
}

const SAMPLE_EVERY = 100;
const ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const LARGEST_REQUEST = 1024 * 1024;

const [certificate = '', key = ''] = process.argv.slice(2);
const ids = new Set<string>();
const secrets = new Map<string, string>();
let [requests, genuine, forged] = [0, 0, 0];
let follower = submissionFollower(undefined);

const server = createServer({ cert: readFileSync(certificate), key: readFileSync(key) }, serve);
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('disconnect', () => process.exit(0));
process.on('message', (order: ReceiverOrder) => {
  for (const [path, secret] of Object.entries(order.secrets ?? {})) secrets.set(path, secret);
  if (order.follow !== undefined) follower = submissionFollower(order.follow);
  const report: ReceiverReport = { distinct: ids.size, genuine, forged, submissions: follower.arrivals() };
  process.send?.(report);
});

function serve(socket: TLSSocket): void {
  let waiting: Buffer<ArrayBufferLike> = Buffer.alloc(0);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    for (let end = take(); end > 0; end = take()) waiting = waiting.subarray(end);
    if (waiting.length > LARGEST_REQUEST) socket.destroy();
  });

  /** Answers the first complete request in the buffer; returns its end, or 0 when there is none. */
  function take(): number {
    const headEnd = waiting.indexOf('\r\n\r\n');
    if (headEnd < 0) return 0;
    const head = waiting.toString('latin1', 0, headEnd);
    const end = headEnd + 4 + Number(header(head, 'content-length') ?? 0);
    if (waiting.length < end) return 0;
    note(head, waiting.subarray(headEnd + 4, end));
    socket.write(ANSWER);
    return end;
  }
}

function note(head: string, rawBody: Buffer): void {
  const id = header(head, 'svc-webhook-id');
  requests += 1;
  if (id === undefined) return;
  ids.add(id);
  follower.note(rawBody);
  const secret = secrets.get(head.slice(head.indexOf(' ') + 1, head.indexOf(' HTTP/')));
  if (requests % SAMPLE_EVERY !== 0 || secret === undefined) return;
  const timestamp = header(head, 'svc-webhook-timestamp');
  const signature = header(head, 'svc-webhook-signature');
  if (verifySignature({ timestamp, signature, rawBody }, [secret], Date.now() / 1_000)) genuine += 1;
  else forged += 1;
}

function header(head: string, name: string): string | undefined {
  const start = head.toLowerCase().indexOf(`\r\n${name}: `);
  if (start < 0) return undefined;
  const from = start + name.length + 4;
  const end = head.indexOf('\r\n', from);
  return head.slice(from, end < 0 ? undefined : end);
}
