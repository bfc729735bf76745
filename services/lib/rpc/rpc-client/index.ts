export { callOptions, type EncodedPrincipal, encodePrincipal } from './call-options.ts';
export { createRpcClient, type RpcAccess, type RpcClientOptions, rpcAccess } from './rpc-client.ts';
export { type ServiceTokens, serviceTokens } from './service-tokens.ts';
