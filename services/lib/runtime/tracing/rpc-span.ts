import { Code, ConnectError } from '@connectrpc/connect';
import { codeToString } from '@connectrpc/connect/protocol-connect';
import { inSpan, type SpanFailure } from './spans.ts';

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
  return inSpan(rpc, { kind, attributes }, work, kind === 'client' ? failureOfCall : failureOfAnswer);
}

const failureOfCall = (error: unknown): SpanFailure => failure(error, () => true);
const failureOfAnswer = (error: unknown): SpanFailure => failure(error, (code) => SERVER_FAULTS.has(code));

function failure(error: unknown, isFault: (code: Code) => boolean): SpanFailure {
  const { code } = ConnectError.from(error);
  const name = codeToString(code);
  const fault = isFault(code);
  const attributes = { 'rpc.response.status_code': name, ...(fault ? { 'error.type': name } : {}) };
  return { attributes, isFault: fault };
}
