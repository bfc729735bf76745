import { z } from 'zod';
import { ConfigError, DEPLOYMENT } from '../config/index.ts';

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const DEFAULT_ENDPOINT = 'http://localhost:4318';
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

const protocol = () => z.literal('http/protobuf', 'must be http/protobuf').optional();
const collector = () =>
  z
    .string()
    .refine(
      (text) => URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol),
      'must be an http: or https: URL',
    )
    .optional();

const exporter = z.object({
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['none', 'otlp'], 'is neither none nor otlp').default('none'),
});

const settings = z.object({
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol(),
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol(),
  OTEL_EXPORTER_OTLP_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: collector(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional(),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional(),
  OTEL_SERVICE_NAME: z.string().optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `is none of ${SAMPLERS.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(?:0(?:\.\d{1,9})?|1(?:\.0{1,9})?)$/, 'is not a number from 0 to 1')
    .transform(Number)
    .optional(),
});

export interface Sampling {
  /** The share of new traces that is sampled, from 0 to 1. */
  readonly ratio: number;
  /** Whether spans are sampled exactly when their trace is. */
  readonly followsParent: boolean;
}

export interface TracingConfig {
  readonly serviceName: string;
  readonly url: string;
  readonly sampling: Sampling;
}

/**
 * Reads OpenTelemetry's variables; undefined unless `OTEL_TRACES_EXPORTER=otlp`. An empty variable counts as unset.
 * Throws a ConfigError for an unknown or unsupported value.
 */
export function readTracingConfig(processName: string, env: NodeJS.ProcessEnv): TracingConfig | undefined {
  const given = Object.fromEntries(
    Object.entries(env).filter(([name, value]) => name.startsWith('OTEL_') && value !== ''),
  );
  const { OTEL_SDK_DISABLED, OTEL_TRACES_EXPORTER } = parse(exporter, given);
  if (OTEL_TRACES_EXPORTER === 'none' || OTEL_SDK_DISABLED?.toLowerCase() === 'true') return undefined;
  const values = parse(settings, given);
  const url = values.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? tracesOf(values.OTEL_EXPORTER_OTLP_ENDPOINT);
  const headers = values.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? values.OTEL_EXPORTER_OTLP_HEADERS;
  if (headers !== undefined && env[DEPLOYMENT] !== 'local') refuseInTheClear(url);
  return {
    serviceName: values.OTEL_SERVICE_NAME ?? processName,
    url,
    sampling: samplingOf(values.OTEL_TRACES_SAMPLER, values.OTEL_TRACES_SAMPLER_ARG),
  };
}

function samplingOf(sampler: (typeof SAMPLERS)[number], ratio = 1): Sampling {
  const followsParent = sampler.startsWith('parentbased_');
  if (sampler.endsWith('always_on')) return { ratio: 1, followsParent };
  if (sampler.endsWith('always_off')) return { ratio: 0, followsParent };
  return { ratio, followsParent };
}

const tracesOf = (endpoint = DEFAULT_ENDPOINT) => `${endpoint.replace(/\/$/, '')}/v1/traces`;

/** Headers carry the process's credentials for its collector. */
function refuseInTheClear(url: string): void {
  const { protocol: scheme, hostname } = new URL(url);
  if (scheme !== 'http:' || LOOPBACK.test(hostname)) return;
  throw new ConfigError(
    `bad configuration: OTEL_EXPORTER_OTLP_HEADERS would be sent to a plain http: address, which requires ${DEPLOYMENT}=local`,
  );
}

function parse<Schema extends z.ZodType>(schema: Schema, given: Record<string, unknown>): z.infer<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `${String(path[0])} ${message}`);
  throw new ConfigError(`bad configuration: ${issues.join('; ')}`);
}
