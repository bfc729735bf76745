import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { DescribedRoute } from '../openapi/operation-reference.ts';

/** One operation of the public contract. */
export interface Operation extends DescribedRoute {
  /** Prepares the handler once, at start. The handler may trust principal and JSON, and throws what it refuses. */
  readonly prepare: (context: Context) => Handler;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
