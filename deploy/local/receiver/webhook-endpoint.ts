import type { IncomingMessage, ServerResponse } from 'node:http';
import type { EventLog, ReceivedEnvironment } from './event-log.ts';
import { readBody } from './read-body.ts';
import type { RespondControl } from './respond-control.ts';
import { verifySignature } from './verify-signature.ts';

const LARGEST_BODY = 256 * 1024;

export interface EndpointParts {
  readonly events: EventLog;
  readonly control: RespondControl;
  readonly secretsOf: (supplier: string, environment: ReceivedEnvironment) => readonly string[];
}

/**
 * Answers `POST /<supplier>/<environment>` as a supplier's receiver does: checks the signature on the raw body, keeps
 * the event, answers 204, or 401 when the signature is not right, or what the tester ordered.
 */
export function webhookEndpoint(parts: EndpointParts) {
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const place = placeOf(request.url ?? '');
    if (!place || request.method !== 'POST') return end(response, 404);
    const body = await readBody(request, LARGEST_BODY);
    if (!body) return end(response.setHeader('connection', 'close'), 413);

    const receivedAt = new Date();
    const headers = flatten(request.headers);
    const verified = verifySignature(
      {
        timestamp: headers['svc-webhook-timestamp'],
        signature: headers['svc-webhook-signature'],
        rawBody: body,
      },
      parts.secretsOf(place.supplier, place.environment),
      Math.floor(receivedAt.getTime() / 1000),
    );
    parts.events.add({
      ...place,
      headers,
      rawBody: body.toString('utf8'),
      receivedAt: receivedAt.toISOString(),
      verified,
    });
    end(response, parts.control.next(place.supplier) ?? (verified ? 204 : 401));
  };
}

function placeOf(path: string): { supplier: string; environment: ReceivedEnvironment } | undefined {
  const [, supplier, environment] = /^\/([a-z0-9-]{1,40})\/(sandbox|production)$/.exec(path) ?? [];
  if (!supplier || (environment !== 'sandbox' && environment !== 'production')) return undefined;
  return { supplier, environment };
}

function flatten(headers: IncomingMessage['headers']): Record<string, string> {
  const entries = Object.entries(headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] as const],
  );
  return Object.fromEntries(entries);
}

function end(response: ServerResponse, status: number): void {
  response.statusCode = status;
  response.end();
}
