import type { DescService } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { CALL_SECONDS, Histogram, type Registry } from '../../runtime/metrics/index.ts';

/** Records a call that has ended; `code` is undefined on success. */
export type ObserveCall = (rpc: string, code: Code | undefined, seconds: number) => void;

/** Measures calls by method and code. Only methods that the process serves appear here. */
export function rpcDurations(registry: Registry, services: readonly DescService[] = []): ObserveCall {
  const durations = new Histogram({
    name: 'sss_rpc_duration_seconds',
    help: 'Duration of RPCs at their server, by method and Connect code.',
    labelNames: ['rpc', 'code'] as const,
    buckets: CALL_SECONDS,
    registers: [registry],
  });
  for (const { typeName, methods } of services)
    for (const { name } of methods) durations.zero({ rpc: `${typeName}/${name}`, code: 'OK' });
  return (rpc, code, seconds) => {
    durations.observe({ rpc, code: code === undefined ? 'OK' : Code[code] }, seconds);
  };
}
