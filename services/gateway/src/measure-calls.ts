import type { DescService } from '@bufbuild/protobuf';
import { type CallOptions, type Client, Code, ConnectError } from '@connectrpc/connect';
import type { GatewayMetrics } from './metrics.ts';

type Call = (request: never, options?: CallOptions) => Promise<unknown>;

/** Measures the calls of a client by method and Connect code, as the caller sees them. Unary calls only. */
export function measureCalls<Service extends DescService>(
  service: Service,
  client: Client<Service>,
  { calls }: Pick<GatewayMetrics, 'calls'>,
): Client<Service> {
  const plain = client as Record<string, Call>;
  const measured: Record<string, Call> = {};
  for (const { localName, name } of service.methods) {
    const call = plain[localName];
    if (!call) continue;
    const rpc = `${service.typeName}/${name}`;
    const succeeded = { rpc, code: 'OK' };
    calls.zero(succeeded);
    measured[localName] = async (request, options) => {
      const began = performance.now();
      const since = () => (performance.now() - began) / 1_000;
      try {
        const answer = await call(request, options);
        calls.observe(succeeded, since());
        return answer;
      } catch (error) {
        calls.observe({ rpc, code: Code[ConnectError.from(error).code] }, since());
        throw error;
      }
    };
  }
  return measured as Client<Service>;
}
