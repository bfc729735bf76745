export { callOptions, type EncodedPrincipal, encodePrincipal } from './call-options.ts';
export { createRpcClient, type RpcClientOptions } from './rpc-client.ts';
export { type ServiceTokens, serviceTokens } from './service-tokens.ts';
