import { Code, ConnectError } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { inSpan } from './spans.ts';

/** Codes that indicate a fault of the server; for the client every error is a failure. */
const SERVER_FAULTS = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

/** Makes or answers a call (`package.Service/Method`) in a span that records its outcome. */
export function inRpcSpan<Result>(
  kind: 'client' | 'server',
  rpc: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const attributes = { 'rpc.system.name': 'connectrpc', 'rpc.method': rpc };
  return inSpan(rpc, { kind, attributes }, work, (error) => {
    const { code } = ConnectError.from(error);
    const name = codeToString(code);
    const isFault = kind === 'client' || SERVER_FAULTS.has(code);
    return {
      attributes: { 'rpc.response.status_code': name, ...(isFault && { 'error.type': name }) },
      isFault,
    };
  });
}
