import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { ConfigError } from '../config/index.ts';
import { createLogger, type Logger } from '../log/index.ts';

/** sysexits.h: configuration error. */
const EXIT_CONFIG = 78;

export const FLAG = { type: 'boolean', default: false } as const;

type Values<Flags extends ParseArgsOptionsConfig> = ReturnType<
  typeof parseArgs<{ options: Flags }>
>['values'];

/** Runs a command: exit 0, or an error line and exit 78 (configuration, unknown flag) or 1. */
export function runCommand<const Flags extends ParseArgsOptionsConfig>(
  name: string,
  { usage, flags }: { readonly usage: string; readonly flags: Flags },
  work: (values: Values<Flags>, log: Logger) => Promise<void>,
): void {
  const log = createLogger(name);
  const start = async () => {
    const values = readFlags(usage, { ...flags, help: FLAG });
    if (values.help) print(usage);
    else await work(values as Values<Flags>, log);
  };
  start().then(
    () => process.exit(0),
    (error: unknown) => {
      if (error instanceof ConfigError) endWithLine(name, error);
      log.error({ err: error }, 'command failed');
      process.exit(1);
    },
  );
}

function readFlags(usage: string, options: ParseArgsOptionsConfig): Record<string, unknown> {
  try {
    return parseArgs({ options }).values;
  } catch {
    throw new ConfigError(usage);
  }
}

export const print = (line: string): void => void process.stdout.write(`${line}\n`);

/** Ends the process with the lines of a ConfigError and exit code 78. */
export function endWithLine(name: string, error: ConfigError): never {
  for (const line of error.message.split('\n')) process.stderr.write(`${name}: ${line}\n`);
  process.exit(EXIT_CONFIG);
}
