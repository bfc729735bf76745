import { ConfigError } from '../config/index.ts';
import { readTracingConfig } from './tracing-config.ts';

const read = (env: NodeJS.ProcessEnv) => readTracingConfig('gateway', env);
const on = { OTEL_TRACES_EXPORTER: 'otlp' };

describe('readTracingConfig', () => {
  it.each([
    {},
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_EXPORTER: '' },
    { ...on, OTEL_SDK_DISABLED: 'true' },
  ])('leaves tracing off: %j', (env) => {
    expect(read(env)).toBeUndefined();
  });

  it("uses OpenTelemetry's defaults and the process name", () => {
    expect(read(on)).toEqual({
      serviceName: 'gateway',
      url: 'http://localhost:4318/v1/traces',
      sampling: { ratio: 1, followsParent: true },
    });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c:4318/' }, 'https://c:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp' }, 'https://c/otlp/v1/traces'],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c', OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://d/t' },
      'https://d/t',
    ],
  ])('sets the export URL: %j', (env, url) => {
    expect(read({ ...on, ...env })?.url).toBe(url);
  });

  it.each([
    ['always_on', undefined, 1, false],
    ['always_off', undefined, 0, false],
    ['traceidratio', '0.25', 0.25, false],
    ['parentbased_always_on', undefined, 1, true],
    ['parentbased_always_off', undefined, 0, true],
    ['parentbased_traceidratio', '0.1', 0.1, true],
    ['parentbased_traceidratio', undefined, 1, true],
  ])('sets sampling: %s %s', (sampler, argument, ratio, followsParent) => {
    const env = { ...on, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument };
    expect(read(env)?.sampling).toEqual({ ratio, followsParent });
  });

  it.each([
    [{ OTEL_TRACES_EXPORTER: 'jaeger' }, 'OTEL_TRACES_EXPORTER is neither none nor otlp'],
    [{ ...on, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf'],
    [
      { ...on, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json' },
      'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL must be',
    ],
    [
      { ...on, OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http: or https: URL',
    ],
    [{ ...on, OTEL_TRACES_SAMPLER: 'some' }, 'OTEL_TRACES_SAMPLER is none of always_on, '],
    [{ ...on, OTEL_TRACES_SAMPLER_ARG: '1.5' }, 'OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1'],
    [
      {
        ...on,
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        OTEL_EXPORTER_OTLP_HEADERS: 'api-key=s3cret',
      },
      'OTEL_EXPORTER_OTLP_HEADERS would be sent to a plain http: address, which requires SSS_DEPLOYMENT=local',
    ],
  ])('throws one line without the value: %j', (env, line) => {
    expect(() => read(env)).toThrow(ConfigError);
    expect(() => read(env)).toThrow(`bad configuration: ${line}`);
    expect(() => read(env)).not.toThrow(/\n|s3cret/);
  });

  it('allows headers to loopback, over TLS, and anywhere in a local deployment', () => {
    const headers = { ...on, OTEL_EXPORTER_OTLP_HEADERS: 'api-key=x' };
    for (const endpoint of ['http://127.0.0.1:1', 'http://localhost:1', 'http://[::1]:1', 'https://c'])
      expect(read({ ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })).toBeDefined();
    const plain = { ...headers, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c' };
    expect(read({ ...plain, SSS_DEPLOYMENT: 'local' })).toBeDefined();
  });
});
