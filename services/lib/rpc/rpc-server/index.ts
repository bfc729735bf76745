export { publicError } from './call-rules.ts';
export {
  type Caller,
  callerKey,
  callerOf,
  principalKey,
  principalOf,
  requirePrincipal,
  requireScope,
  type SupplierPrincipal,
} from './caller.ts';
export type { RpcCall, RpcHandlers } from './rpc-handlers.ts';
export { type RpcServerOptions, startRpcServer } from './rpc-server.ts';
