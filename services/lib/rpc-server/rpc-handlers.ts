import type { DescService, MessageInitShape, MessageShape } from '@bufbuild/protobuf';
import type { HandlerContext } from '@connectrpc/connect';

/**
 * What a handler is given besides its request: who calls (`values`, read by `callerOf` and `principalOf`), which RPC
 * (`method`), and a signal that aborts when the caller has gone or the deadline has passed.
 */
export type RpcCall = Pick<HandlerContext, 'values' | 'method' | 'signal'>;

/**
 * The handlers of all RPCs of a service, by the RPCs' names. All are unary. A handler rejects with a refusal
 * (`lib/refusal`) for what a caller can cause; any other error is answered as internal.
 */
export type RpcHandlers<Service extends DescService> = {
  [Name in keyof Service['method']]: (
    request: MessageShape<Service['method'][Name]['input']>,
    call: RpcCall,
  ) => Promise<MessageInitShape<Service['method'][Name]['output']>>;
};
