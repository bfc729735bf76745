import type { DescMethod, DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';

/**
 * A handler's call context: the caller (`values`, read by `callerOf` and `principalOf`), the RPC (`method`), and a
 * signal that aborts when the caller disconnects or the deadline passes.
 */
export type RpcCall = Pick<HandlerContext, 'values' | 'method' | 'signal'>;

/**
 * The handlers of all RPCs of a service, by RPC name: unary and server-streaming. A handler rejects with a refusal
 * (`lib/rpc/refusal`) for errors that a caller can cause; any other error is returned as internal. A stream is pulled
 * as fast as its caller reads, bounds its own duration, and ends when the call's signal aborts.
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
