export { inRpcSpan } from './rpc-span.ts';
export { type OpenSet, openSet, type SetMember } from './set-spans.ts';
export { annotate, failSpan, inSpan, OpenSpan, openSpan, type SpanFailure } from './spans.ts';
export { startTracing } from './start-tracing.ts';
