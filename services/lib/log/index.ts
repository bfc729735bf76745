import { type Logger as PinoLogger, pino } from 'pino';
import { currentContext } from '../request-context/index.ts';
import { describeError } from './describe-error.ts';

export { failureReason } from './failure-reason.ts';

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'>;

/** The only fields that are ever printed. Whatever else is passed is dropped: nobody has to remember to redact. */
const ALLOWED = new Set(
  `account_id application_reference attempt audience byte_size caller code consumer count credential_id cursor decision delay_ms
  document_id   duration_ms endpoint_id entry environment error_class event_id event_type generation group host limit method metric
  migration outcome pid policy_version port process reason resource role route rpc rule sequence service signal
  state status stream submission_id trace_parent url_host version`
    .split(/\s+/)
    .filter(Boolean),
);

/** A logger that writes JSON lines to standard output, each with the request id of the work at hand. */
export function createLogger(
  service: string,
  level = 'info',
  destination?: { write(line: string): void },
): Logger {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: onlyAllowed },
      // Errors are described above; the library's own serializer would take the description for an error.
      serializers: { err: (description: unknown) => description },
      mixin: () => {
        const context = currentContext();
        return context ? { request_id: context.requestId, trace_parent: context.traceParent } : {};
      },
    },
    destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

function onlyAllowed(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'err') kept.err = describeError(value);
    else if (name === 'request_id' || ALLOWED.has(name)) kept[name] = value;
  }
  return kept;
}
