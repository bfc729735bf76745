import { type Logger as PinoLogger, pino } from 'pino';
import { currentContext, traceFields } from '../request-context/index.ts';
import { describeError } from './describe-error.ts';
import { standardOutput } from './output.ts';

export type Logger = Pick<PinoLogger, 'debug' | 'info' | 'warn' | 'error' | 'fatal' | 'level'>;

/** The only fields ever printed. All others are dropped, so that no caller has to redact. */
const ALLOWED = new Set(
  `account_id address application_reference attempt audience byte_size caller code consumer count credential_id cursor decision delay_ms
  document_id   duration_ms endpoint_id entry environment error_class event_id event_type generation group hash host inner_request_id issuer limit listener method metric
  migration offset_ms outcome pid policy_version pool port position process public_id reason resource role route row_id rpc rule sequence service signal
  request_id span_id state status stream submission_id trace_id url_host version work`
    .split(/\s+/)
    .filter(Boolean),
);

/** Creates a logger of JSON lines with request id and trace. Lines below `warn` may wait for 20 ms. */
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
      // `describeError` has already described the error; the library's own serializer would take the description for an
      // error.
      serializers: { err: (description: unknown) => description },
      mixin: () => {
        const context = currentContext();
        if (!context) return {};
        const trace = traceFields(context.traceParent);
        return context.requestId === '' ? { ...trace } : { request_id: context.requestId, ...trace };
      },
    },
    destination ?? standardOutput(),
  );
}

function onlyAllowed(fields: Record<string, unknown>): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  for (const name in fields) {
    if (name === 'err') kept.err = describeError(fields.err);
    else if (ALLOWED.has(name)) kept[name] = fields[name];
  }
  return kept;
}

const MAX_LENGTH = 300;
/** `at name (file:///somewhere/x/y.ts:12:3)`, without folders and the test runner's import number. */
const FRAME = /^at (?:(?:async )?([\w.#<>[\] ]+) \()?(?:[^()]*\/)?([\w.-]+)(?:\?\d+)?(:\d+)(?::\d+)?\)?$/;

/** Summarises an error without data, for tables that staff read: kind, code and place, up to 300 chars. */
export function failureReason(error: unknown): string {
  const { type, message, code, table, constraint, stack = [] } = describeError(error);
  const frame = FRAME.exec(
    stack.find((line) => !line.includes('node_modules') && !line.includes('node:')) ?? '',
  );
  const place = frame ? [frame[1], `${frame[2]}${frame[3]}`].filter(Boolean).join(' ') : undefined;
  const parts = [type, code, table, constraint, message].filter((part) => part !== undefined);
  return `${parts.join(' ')}${place ? ` at ${place}` : ''}`.slice(0, MAX_LENGTH);
}
