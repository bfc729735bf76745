import { Code, ConnectError } from '@connectrpc/connect';
import {
  eventually,
  type OtlpCollector,
  startOtlpCollector,
  startTestProcess,
  type TestProcess,
} from '../../testing/index.ts';
import { currentContext, runInContext } from '../request-context/index.ts';
import { annotate, inRpcSpan, inSpan, openSet, openSpan, startTracing } from './index.ts';
import { traceWith } from './spans.ts';

const FOREIGN = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

let collector: OtlpCollector;
let service: TestProcess;
beforeEach(async () => {
  collector = await startOtlpCollector();
});
afterEach(async () => {
  await service?.stop();
  traceWith(undefined);
  await collector.close();
});

async function trace(env: NodeJS.ProcessEnv = {}): Promise<void> {
  service = startTestProcess('tester');
  await startTracing(service, {
    OTEL_TRACES_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}`,
    ...env,
  });
}

/** Stops the process and returns the exported spans by name. */
async function exported() {
  await service.stop();
  return new Map(collector.spans.map((span) => [span.name, span]));
}

const counted = async (outcome: string) =>
  (await service.metrics.getSingleMetric('sss_trace_spans_total')?.get())?.values.find(
    ({ labels }) => labels.outcome === outcome,
  )?.value ?? 0;

const work = (name: string, inner: () => Promise<unknown> = async () => {}) =>
  inSpan(name, { kind: 'internal' }, inner);

describe('spans', () => {
  it('form one trace across awaits and calls, exported as OTLP protobuf with kind, attributes and service', async () => {
    await trace({ OTEL_SERVICE_NAME: 'mine' });
    await inRpcSpan('server', 'a.v1.A/Do', async () => {
      annotate({ 'sss.submission.id': 's-1' });
      await work('inner');
    });
    const spans = await exported();
    const [outer, inner] = [spans.get('a.v1.A/Do'), spans.get('inner')];
    expect(outer).toMatchObject({
      service: 'mine',
      kind: 'server',
      parentSpanId: '',
      isError: false,
      resource: { 'service.namespace': 'supplier-submissions' },
      attributes: { 'rpc.method': 'a.v1.A/Do', 'sss.submission.id': 's-1' },
    });
    expect(inner).toMatchObject({ kind: 'internal', traceId: outer?.traceId, parentSpanId: outer?.spanId });
    expect(collector.requests[0]).toMatchObject({
      path: '/v1/traces',
      headers: { 'content-type': 'application/x-protobuf' },
    });
    expect(await counted('exported')).toBe(2);
  });

  it("record the kind of a failure without its message, and a caller's error as no server fault", async () => {
    await trace();
    const fail = (error: Error) => () => Promise.reject(error);
    const refused = new ConnectError('Ada Lovelace', Code.NotFound);
    await expect(inRpcSpan('server', 's', fail(refused))).rejects.toThrow('Ada');
    await expect(inRpcSpan('client', 'c', fail(refused))).rejects.toThrow('Ada');
    await expect(work('w', fail(new TypeError('Ada Lovelace')))).rejects.toThrow('Ada');
    const spans = await exported();
    expect(spans.get('s')).toMatchObject({
      isError: false,
      attributes: { 'rpc.response.status_code': 'not_found' },
    });
    expect(spans.get('c')).toMatchObject({ isError: true, attributes: { 'error.type': 'not_found' } });
    expect(spans.get('w')).toMatchObject({ isError: true, attributes: { 'error.type': 'TypeError' } });
    expect(JSON.stringify([...spans])).not.toContain('Ada');
  });

  it("continue a caller's trace, and only link an outsider's, as not sampled", async () => {
    await trace();
    await runInContext({ requestId: 'r', traceParent: FOREIGN }, () => work('continued'));
    const span = openSpan('begun', { kind: 'server' });
    span?.linkForeign(FOREIGN);
    span?.end();
    const spans = await exported();
    expect(spans.get('continued')).toMatchObject({
      traceId: 'a'.repeat(32),
      parentSpanId: 'b'.repeat(16),
    });
    const recorded = spans.get('begun');
    expect(recorded?.traceId).not.toBe('a'.repeat(32));
    expect(recorded?.links).toEqual([{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), isSampled: false }]);
  });
});

describe('a set', () => {
  const membersOf = (...parents: string[]) =>
    parents.map((parent, place) => ({
      parent,
      name: `lead ${place}`,
      attributes: { 'sss.place': place },
    }));

  it('has a span linked in both directions with its members, which continue their own traces', async () => {
    await trace();
    const first = openSpan('first', { kind: 'server' });
    const second = openSpan('second', { kind: 'server' });
    const parents = [first?.traceParent ?? '', second?.traceParent ?? '', ''];
    const set = openSet('a set', { kind: 'internal' }, () => membersOf(...parents));
    set?.end();
    first?.end();
    second?.end();
    const spans = await exported();
    const whole = spans.get('a set');
    const idsOf = (name: string) => {
      const { traceId, spanId } = spans.get(name) ?? { traceId: '', spanId: '' };
      return { traceId, spanId };
    };
    expect(whole?.parentSpanId).toBe('');
    expect(whole?.links).toMatchObject([idsOf('first'), idsOf('second')]);
    for (const [place, cause] of ['first', 'second'].entries()) {
      const member = spans.get(`lead ${place}`);
      expect(member).toMatchObject({
        traceId: idsOf(cause).traceId,
        parentSpanId: idsOf(cause).spanId,
        links: [idsOf('a set')],
      });
      expect(set?.traceParents[place]).toContain(member?.spanId);
    }
    expect(spans.has('lead 2')).toBe(false);
    expect(set?.traceParents[2]).toBe('');
  });

  it("has only the member's span when there is one member, and none when no member is sampled", async () => {
    await trace({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    const unsampled = FOREIGN.replace(/01$/, '00');
    expect(openSet('none', { kind: 'internal' }, () => membersOf(unsampled, unsampled))).toBeUndefined();
    openSet('one', { kind: 'internal' }, () => membersOf(FOREIGN))?.end();
    const mixed = openSet('mixed', { kind: 'internal' }, () => membersOf(unsampled, FOREIGN));
    expect(mixed?.traceParents[0]).toBe(unsampled);
    mixed?.end(new TypeError('x'));
    await service.stop();
    expect(collector.spans.map(({ name, isError }) => [name, isError]).toSorted()).toEqual([
      ['lead 0', false],
      ['lead 1', true],
      ['mixed', true],
    ]);
  });
});

describe('sampling', () => {
  it('exports nothing at a ratio of 0, and propagates the unsampled flag', async () => {
    await trace({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' });
    const root = openSpan('root', { kind: 'server' });
    expect(root?.isRecording).toBe(false);
    expect(root?.traceParent).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
    await runInContext({ requestId: 'r', traceParent: root?.traceParent ?? '' }, () =>
      work('inner', async () => {
        expect(currentContext()?.traceParent).toBe(root?.traceParent);
      }),
    );
    root?.end();
    await service.stop();
    expect(collector.requests).toEqual([]);
  });

  it('samples whole traces at a partial ratio', async () => {
    await trace({ OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.5' });
    for (let i = 0; i < 400; i += 1) await work('outer', () => work('inner'));
    await service.stop();
    const inner = collector.spans.filter(({ name }) => name === 'inner');
    expect(inner.length).toBeGreaterThan(100);
    expect(inner.length).toBeLessThan(300);
    expect(collector.spans).toHaveLength(2 * inner.length);
  });
});

describe('a collector that rejects spans', () => {
  it('delays nothing: excess spans are dropped and counted, with one log line at the start and one at recovery', async () => {
    await trace();
    collector.answer(400);
    for (let i = 0; i < 6_000; i += 1) await work('lost');
    await eventually('all of them to be counted', async () => {
      return (await counted('failed')) + (await counted('dropped')) === 6_000;
    });
    expect(await counted('dropped')).toBeGreaterThan(0);
    collector.answer(200);
    await work('found');
    await eventually('one to arrive', async () => collector.spans.length > 0);
    await eventually('it to be said', async () =>
      service.lines.some(({ msg }) => msg === 'trace export resumed'),
    );
    const said = service.lines.map(({ msg }) => msg).filter((msg) => String(msg).startsWith('trace export'));
    expect(said).toEqual(['trace export failed', 'trace export resumed']);
  });

  it('delays the end of the process by at most two seconds', async () => {
    await trace({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    await work('lost');
    const startedAt = performance.now();
    await service.stop();
    expect(performance.now() - startedAt).toBeLessThan(15_000);
  });
});

describe('without tracing', () => {
  it("creates no span, requests no set members, and leaves the caller's trace unchanged", async () => {
    const context = { requestId: 'r', traceParent: FOREIGN };
    expect(openSpan('x', { kind: 'server' })).toBeUndefined();
    const never = () => {
      throw new Error('asked for');
    };
    expect(openSet('x', { kind: 'internal' }, never)).toBeUndefined();
    await runInContext(context, () => work('x', async () => expect(currentContext()).toBe(context)));
  });
});
