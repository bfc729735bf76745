import type { HandlerContext } from '@connectrpc/connect';

/** A handler of one RPC. */
export type Rpc<Request, Response> = (
  request: Request,
  call: Pick<HandlerContext, 'values'>,
) => Promise<Response>;
