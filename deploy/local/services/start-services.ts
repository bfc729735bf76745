import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tellingLine } from '../supervisor/last-words.ts';
import type { Program } from '../supervisor/program.ts';
import { runToEnd } from '../supervisor/run-to-end.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { CannotStart, reasonOf } from '../terminal.ts';
import { answersReady } from './answers-ready.ts';
import { BUSY_FLAGS, type NodeRuntime } from './node-runtime.ts';
import { entryFile, type Preparation, preparationFile, type ServiceProcess } from './process-table.ts';

const PREPARE_MS = 120_000;
const READY_MS = 60_000;
/** A service ends what is in flight within ten seconds; this is a little longer. */
const STOP_MS = 12_000;

/** Prepares what each process needs and starts it; resolves when all are ready. */
export async function startServices(
  table: readonly ServiceProcess[],
  node: NodeRuntime,
  supervisor: Supervisor,
  logs: string,
): Promise<void> {
  const started = await Promise.allSettled(
    table.map(async (service) => {
      for (const step of service.preparation) await prepare(step, service, node, logs);
      await supervisor.start(programOf(service, node));
    }),
  );
  const failures = started.flatMap((result) =>
    result.status === 'rejected' ? [reasonOf(result.reason)] : [],
  );
  if (failures.length > 0) throw new CannotStart(failures.join('\n'));
}

/** How a failure of each step begins. */
const FAILURES: Readonly<Record<Preparation, (service: string) => string>> = {
  migrate: (service) => `the database of ${service} cannot be brought to its schema`,
  'set-up-store': () => 'the folders of documents cannot be made',
};

async function prepare(
  step: Preparation,
  { name, service, env, asOwner }: ServiceProcess,
  node: NodeRuntime,
  logs: string,
): Promise<void> {
  const { code, output } = await runToEnd(
    node.command,
    [...node.flags, preparationFile(node.checkout, service, step)],
    {
      cwd: node.checkout,
      env: { ...node.env, ...env, ...(step === 'migrate' ? asOwner : {}) },
      withinMs: PREPARE_MS,
    },
  );
  const log = join(logs, `${name}-${step}.log`);
  writeFileSync(log, output, { mode: 0o600 });
  if (code !== 0) throw new CannotStart(`${FAILURES[step](service)}: ${tellingLine(output)} (log: ${log})`);
}

function programOf(
  { name, service, entry, env, readyPort, isBusy }: ServiceProcess,
  node: NodeRuntime,
): Program {
  return {
    name,
    command: node.command,
    args: [...node.flags, ...(isBusy ? BUSY_FLAGS : []), entryFile(node.checkout, service, entry)],
    env: { ...node.env, ...env },
    cwd: join(node.checkout, 'services', service),
    stopSignal: 'SIGTERM',
    stopWithinMs: STOP_MS,
    channel: true,
    isReady: () => answersReady(readyPort),
    readyWithinMs: READY_MS,
  };
}
