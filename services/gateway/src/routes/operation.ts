import type { Scope } from '@supplier/proto/common/v1/principal';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayContext } from '../context.ts';
import type { OperationDocumentation } from '../openapi/documentation.ts';

/** One operation of the public contract. */
export interface Operation {
  readonly method: 'GET' | 'POST';
  /** As in the contract; a parameter is written `:name` and fills one segment. */
  readonly path: string;
  /** The request may do any one of these, or it is refused. */
  readonly anyScope: readonly Scope[];
  /** What the published reference says of it. */
  readonly documentation: OperationDocumentation;
  /** Prepares the handler once, at start. The handler may trust principal and JSON, and throws what it refuses. */
  readonly prepare: (context: GatewayContext) => Handler;
}

export type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>;
