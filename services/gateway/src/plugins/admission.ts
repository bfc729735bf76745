import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';
import type { GatewayMetrics, Listener } from '../metrics.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether the request holds one of the places for requests in flight. */
    isAdmitted: boolean;
  }
}

/**
 * Limits the number of requests in flight; an excess request gets 503 immediately instead of queueing. A request
 * returns its place when its response is ready, even if its sender has gone.
 */
export function admitAtMost(
  app: FastifyInstance,
  { requestsInFlight, requestsRefused }: Pick<GatewayMetrics, 'requestsInFlight' | 'requestsRefused'>,
  listener: Listener,
  places: number,
): void {
  let taken = 0;
  const inFlight = requestsInFlight.labels({ listener });
  const refused = requestsRefused.labels({ listener });
  app.decorateRequest('isAdmitted', false);
  app.addHook('onRequest', (request, _reply, done) => {
    if (taken >= places) {
      refused.inc();
      done(new PublicError('service_unavailable', { cause: new Error('too many requests in flight') }));
      return;
    }
    taken += 1;
    inFlight.set(taken);
    request.isAdmitted = true;
    done();
  });
  app.addHook('onSend', (request, _reply, payload, done) => {
    if (request.isAdmitted) {
      request.isAdmitted = false;
      taken -= 1;
      inFlight.set(taken);
    }
    done(null, payload);
  });
}
