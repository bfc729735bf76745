import type { FastifyInstance } from 'fastify';
import { PublicError } from '../errors/public-error.ts';

/** Answers every request 503, whoever sends it, while the environment is closed. */
export function refuseWhileClosed(app: FastifyInstance, open: boolean): void {
  if (open) return;
  app.addHook('onRequest', (_request, _reply, done) => done(environmentClosed()));
}

export function environmentClosed(): PublicError {
  return new PublicError('service_unavailable', { sentence: 'This environment is not open yet.' });
}
