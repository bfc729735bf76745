import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';
import type { GatewayMetrics } from './metrics.ts';

/** Measures calls to `service` by method and Connect code, as the caller sees them. Unary calls only. */
export function measureCalls(
  { typeName, methods }: DescService,
  { calls }: Pick<GatewayMetrics, 'calls'>,
): Interceptor {
  for (const { name } of methods) calls.zero({ rpc: `${typeName}/${name}`, code: 'OK' });
  return (next) => async (request) => {
    const rpc = `${typeName}/${request.method.name}`;
    const began = performance.now();
    const ended = (code: string) => calls.observe({ rpc, code }, (performance.now() - began) / 1_000);
    try {
      const response = await next(request);
      ended('OK');
      return response;
    } catch (error) {
      ended(Code[ConnectError.from(error).code]);
      throw error;
    }
  };
}
