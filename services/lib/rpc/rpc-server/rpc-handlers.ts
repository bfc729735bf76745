import type { DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';

/**
 * What a handler gets besides its request: who calls (`values`, read by `callerOf` and `principalOf`), which RPC
 * (`method`), and a signal that aborts when the caller has gone or the deadline has passed.
 */
export type RpcCall = Pick<HandlerContext, 'values' | 'method' | 'signal'>;

/**
 * The handlers of all RPCs of a service, by the RPCs' names: unary ones, and streams of the server's. A handler rejects
 * with a refusal (`lib/rpc/refusal`) for what a caller can cause; any other error is answered as internal. A stream is pulled
 * as fast as its caller reads it, bounds its own duration, and ends when the call's signal is aborted.
 */
export type RpcHandlers<Service extends DescService> = {
  [Name in keyof Service['method']]: RpcHandler<Service['method'][Name]>;
};

type RpcHandler<Method extends DescMethod> = (
  request: MessageShape<Method['input']>,
  call: RpcCall,
) => Method extends { readonly methodKind: 'server_streaming' }
  ? AsyncIterable<MessageInitShape<Method['output']>>
  : Promise<MessageInitShape<Method['output']>>;
