import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { observeProgram } from '../../commands/setup/run-program.mjs';
import { tellingLine } from '../supervisor/last-words.ts';
import type { Program } from '../supervisor/program.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { CannotStart, reasonOf } from '../terminal.ts';
import { answersReady } from './answers-ready.ts';
import type { Code } from './code.ts';
import type { Preparation, ServiceProcess } from './process-table.ts';

// Long, because several stacks may start simultaneously.
const PREPARE_MS = 600_000;
const READY_MS = 600_000;
/** Longer than services take to finish requests. */
const STOP_MS = 12_000;

/** Prepares and starts each process. Resolves when all are ready. */
export async function startServices(
  table: readonly ServiceProcess[],
  code: Code,
  supervisor: Supervisor,
  logs: string,
): Promise<void> {
  const started = await Promise.allSettled(
    table.map(async (service) => {
      for (const step of service.preparation) await prepare(step, service, code, logs);
      await supervisor.start(programOf(service, code));
    }),
  );
  const failures = started.flatMap((result) =>
    result.status === 'rejected' ? [reasonOf(result.reason)] : [],
  );
  if (failures.length > 0) throw new CannotStart(failures.join('\n'));
}

const FAILURES: Readonly<Record<Preparation, (service: string) => string>> = {
  migrate: (service) => `cannot migrate the database of ${service}`,
  'set-up-store': () => 'cannot create the folders for documents',
};

async function prepare(
  step: Preparation,
  process: ServiceProcess,
  codeOf: Code,
  logs: string,
): Promise<void> {
  const { name, service, env, asOwner } = process;
  const { command, args, ...line } = codeOf(process, step);
  const { code, output } = await observeProgram(command, args, {
    cwd: line.cwd,
    env: { ...line.env, ...env, ...(step === 'migrate' ? asOwner : {}) },
    withinMs: PREPARE_MS,
  });
  const log = join(logs, `${name}-${step}.log`);
  writeFileSync(log, output, { mode: 0o600 });
  if (code !== 0) throw new CannotStart(`${FAILURES[step](service)}: ${tellingLine(output)} (log: ${log})`);
}

function programOf(process: ServiceProcess, code: Code): Program {
  const { name, entry, env, readyPort } = process;
  const line = code(process, entry);
  return {
    name,
    ...line,
    env: { ...line.env, ...env },
    stopSignal: 'SIGTERM',
    stopWithinMs: STOP_MS,
    channel: true,
    isReady: () => answersReady(readyPort),
    readyWithinMs: READY_MS,
  };
}
