import type { DescService } from '@bufbuild/protobuf';
import { type CallOptions, type Client, Code, ConnectError } from '@connectrpc/connect';

type Call = (request: never, options?: CallOptions) => Promise<unknown>;

/** The client, with at most `atOnce` of its calls under way; one more is UNAVAILABLE at once. Unary calls only. */
export function boundCalls<Service extends DescService>(
  service: Service,
  client: Client<Service>,
  atOnce: number,
): Client<Service> {
  const plain = client as Record<string, Call>;
  const bounded: Record<string, Call> = {};
  let underWay = 0;
  for (const { localName } of service.methods) {
    const call = plain[localName];
    if (!call) continue;
    bounded[localName] = async (request, options) => {
      if (underWay >= atOnce) throw new ConnectError('too many calls at once', Code.Unavailable);
      underWay += 1;
      try {
        return await call(request, options);
      } finally {
        underWay -= 1;
      }
    };
  }
  return bounded as Client<Service>;
}
