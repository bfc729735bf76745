import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventFilter, EventLog } from './event-log.ts';
import { readBody } from './read-body.ts';
import { type RespondControl, readRespondOrder } from './respond-control.ts';

const LARGEST_BODY = 16 * 1024;

export interface ControlParts {
  readonly events: EventLog;
  readonly control: RespondControl;
  readonly suppliers: readonly string[];
}

/** Answers `GET /events` with what was received, and `POST /events` by obeying; also `GET /readyz`. */
export function eventsEndpoint(parts: ControlParts) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://receiver');
    if (pathname === '/readyz' && request.method === 'GET') return answer(response, 200, { ready: true });
    if (pathname !== '/events') return refuse(response, 404, 'there is nothing here but /events');
    switch (request.method) {
      case 'GET':
        return list(parts, searchParams, response);
      case 'POST':
        return await order(parts, request, response);
      default:
        return refuse(response, 405, 'use GET or POST');
    }
  };
}

function list({ events }: ControlParts, query: URLSearchParams, response: ServerResponse): void {
  const filter = readFilter(query);
  if (typeof filter === 'string') refuse(response, 400, filter);
  else answer(response, 200, events.list(filter));
}

async function order(parts: ControlParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request, LARGEST_BODY);
  if (!body) return refuse(response.setHeader('connection', 'close'), 413, 'the body is too large');
  const wanted = readRespondOrder(body.toString('utf8'), parts.suppliers);
  if (typeof wanted === 'string') return refuse(response, 400, wanted);
  parts.control.order(wanted);
  answer(response, 200, { ordered: wanted });
}

/** Reads `?supplier=NAME&since=ISO`. Answers with a sentence for anything else. */
export function readFilter(query: URLSearchParams): EventFilter | string {
  const names = [...query.keys()];
  if (names.some((name) => name !== 'supplier' && name !== 'since'))
    return 'the filters are supplier and since';
  if (new Set(names).size !== names.length) return 'each filter can be given once';
  const sinceText = query.get('since');
  const since = sinceText === null ? undefined : Date.parse(sinceText);
  if (Number.isNaN(since)) return 'since must be an ISO 8601 timestamp';
  return { supplier: query.get('supplier') ?? undefined, since };
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  answer(response, status, { error: reason });
}

function answer(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
}
