export {
  type Caller,
  callerKey,
  callerOf,
  principalKey,
  principalOf,
  requirePrincipal,
  type SupplierPrincipal,
} from './caller.ts';
export { type RpcServerOptions, startRpcServer } from './rpc-server.ts';
