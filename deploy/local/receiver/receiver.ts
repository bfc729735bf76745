import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { readBody } from './read-body.ts';
import { verifySignature } from './verify-signature.ts';

const MAX_WEBHOOK_BYTES = 256 * 1024;
const MAX_ORDER_BYTES = 16 * 1024;
const MAX_TIMES = 100_000;
const MAX_DELAY_MS = 10_000;
/** A page of a list is written when the client has read the one before. */
const PAGE_BYTES = 64 * 1024;

export type ReceivedEnvironment = 'sandbox' | 'production';

/** A request to a webhook endpoint, with any response. */
export interface ReceivedEvent {
  readonly supplier: string;
  readonly environment: ReceivedEnvironment;
  readonly headers: Readonly<Record<string, string>>;
  readonly rawBody: string;
  /** ISO 8601, milliseconds, UTC. */
  readonly receivedAt: string;
  readonly verified: boolean;
}

/** An order to respond to a supplier's next events with a status. */
interface RespondOrder {
  readonly supplier: string;
  readonly respond: { readonly status: number; readonly times: number };
}

export interface ReceiverOptions {
  readonly suppliers: readonly string[];
  secretOf(supplier: string, environment: ReceivedEnvironment): string | undefined;
  /** The limits of the stored events: their number, and their size as JSON. */
  readonly max: { readonly events: number; readonly bytes: number };
}

/** An event as it is listed. JSON outside the heap, because thousands are kept and listed. */
interface StoredEvent {
  readonly supplier: string;
  readonly receivedMs: number;
  readonly json: Buffer;
}

/**
 * A supplier's webhook receiver. `webhooks` takes `POST /SUPPLIER/ENVIRONMENT`, checks the signature, and responds with 204,
 * 401, or what was ordered; with `?status=N&delay_ms=N`, always with that status and after that time. `control` serves `GET /events?supplier=NAME&since=ISO`, `POST /events` (an order) and `GET /readyz`.
 */
export function createReceiver({ suppliers, secretOf, max }: ReceiverOptions) {
  const events: StoredEvent[] = [];
  const orders = new Map<string, { status: number; left: number }>();
  let bytes = 0;

  function add(event: ReceivedEvent): void {
    const json = Buffer.from(JSON.stringify(event));
    events.push({ supplier: event.supplier, receivedMs: Date.parse(event.receivedAt), json });
    bytes += json.length;
    while (events.length > max.events || bytes > max.bytes) bytes -= events.shift()?.json.length ?? 0;
  }

  /** The ordered status for a supplier's next event, if any. */
  function orderedStatus(supplier: string): number | undefined {
    const order = orders.get(supplier);
    if (!order) return undefined;
    order.left -= 1;
    if (order.left === 0) orders.delete(supplier);
    return order.status;
  }

  const webhooks = guarded(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://receiver');
    const [, supplier, environment] = /^\/([a-z0-9-]{1,40})\/(sandbox|production)$/.exec(pathname) ?? [];
    if (!supplier || !isEnvironment(environment) || request.method !== 'POST')
      return void response.writeHead(404).end();
    const body = await readBody(request, MAX_WEBHOOK_BYTES);
    if (!body) return void response.writeHead(413, { connection: 'close' }).end();
    const receivedAt = new Date();
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, [value].flat().join(', ')]),
    );
    const signed = {
      timestamp: headers['svc-webhook-timestamp'],
      signature: headers['svc-webhook-signature'],
      rawBody: body,
    };
    const secret = secretOf(supplier, environment);
    const verified = verifySignature(
      signed,
      secret ? [secret] : [],
      Math.floor(receivedAt.getTime() / 1_000),
    );
    const rawBody = body.toString('utf8');
    add({ supplier, environment, headers, rawBody, receivedAt: receivedAt.toISOString(), verified });
    const delayMs = Math.min(Number(searchParams.get('delay_ms')), MAX_DELAY_MS);
    if (delayMs > 0) await pause(delayMs);
    const fixed = Number(searchParams.get('status'));
    const status = isWhole(fixed, 200, 599) ? fixed : verified ? 204 : 401;
    response.writeHead(orderedStatus(supplier) ?? status).end();
  });

  const control = guarded(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://receiver');
    switch (`${request.method} ${pathname}`) {
      case 'GET /readyz':
        return answer(response, 200, { ready: true });
      case 'GET /events': {
        const since = Date.parse(searchParams.get('since') ?? '1970-01-01');
        const filters = [...searchParams.keys()];
        if (
          Number.isNaN(since) ||
          `${filters.toSorted()}` !== `${FILTERS.filter((one) => filters.includes(one))}`
        )
          return answer(response, 400, {
            error: 'the filters are supplier and since (ISO 8601), each at most once',
          });
        const supplier = searchParams.get('supplier') ?? undefined;
        const found = events.filter(
          (event) => (supplier === undefined || event.supplier === supplier) && event.receivedMs >= since,
        );
        response.writeHead(200, { 'content-type': 'application/json' });
        return pipeline(Readable.from(pagesOf(found), { highWaterMark: 1 }), response);
      }
      case 'POST /events': {
        const order = orderIn((await readBody(request, MAX_ORDER_BYTES))?.toString('utf8') ?? '', suppliers);
        if (typeof order === 'string') return answer(response, 400, { error: order });
        const { supplier, respond } = order;
        if (respond.times === 0) orders.delete(supplier);
        else orders.set(supplier, { status: respond.status, left: respond.times });
        return answer(response, 200, { ordered: order });
      }
      default:
        return answer(response, 404, { error: 'use GET or POST /events' });
    }
  });

  const received = (): readonly ReceivedEvent[] =>
    events.map(({ json }) => JSON.parse(json.toString('utf8')));
  return { webhooks, control, events: received };
}

/** A JSON list of events, in pages. */
function* pagesOf(events: readonly StoredEvent[]): Generator<Buffer> {
  let page: Buffer[] = [Buffer.from('[')];
  let size = 0;
  for (const [index, { json }] of events.entries()) {
    if (index > 0) page.push(COMMA);
    page.push(json);
    size += json.length;
    if (size < PAGE_BYTES) continue;
    yield Buffer.concat(page);
    page = [];
    size = 0;
  }
  yield Buffer.concat([...page, Buffer.from(']')]);
}

const COMMA = Buffer.from(',');

const FILTERS = ['since', 'supplier'];

const isEnvironment = (text: string | undefined): text is ReceivedEnvironment =>
  text === 'sandbox' || text === 'production';

/** Parses an order from JSON, or returns what is wrong with it. */
function orderIn(text: string, suppliers: readonly string[]): RespondOrder | string {
  try {
    const order = JSON.parse(text) as RespondOrder;
    const { status, times } = order.respond;
    const fits =
      suppliers.includes(order.supplier) &&
      `${[...Object.keys(order), ...Object.keys(order.respond)].toSorted()}` ===
        'respond,status,supplier,times' &&
      isWhole(status, 200, 599) &&
      isWhole(times, 0, MAX_TIMES);
    if (fits) return order;
  } catch {
    // Reported below.
  }
  return `expected {"supplier": NAME, "respond": {"status": 200 to 599, "times": 0 to ${MAX_TIMES}}} with a NAME of ${suppliers.join(', ')}`;
}

const isWhole = (value: unknown, min: number, max: number) =>
  Number.isInteger(value) && Number(value) >= min && Number(value) <= max;

/** Keeps the process alive when a client disconnects in the middle of its request. */
function guarded(
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): RequestListener {
  return (request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
      response.destroy();
    });
  };
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}
