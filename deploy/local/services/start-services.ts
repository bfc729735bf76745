import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tellingLine } from '../supervisor/last-words.ts';
import type { Program } from '../supervisor/program.ts';
import { runToEnd } from '../supervisor/run-to-end.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { CannotStart, reasonOf } from '../terminal.ts';
import { answersReady } from './answers-ready.ts';
import type { NodeRuntime } from './node-runtime.ts';
import { mainFile, migrateFile, type ServiceProcess } from './process-table.ts';

const MIGRATE_MS = 120_000;
const READY_MS = 60_000;
/** A service ends what is in flight within ten seconds; this is a little longer. */
const STOP_MS = 12_000;

/** Brings each database to its schema and starts each process; resolves when all are ready. */
export async function startServices(
  table: readonly ServiceProcess[],
  node: NodeRuntime,
  supervisor: Supervisor,
  logs: string,
): Promise<void> {
  const started = await Promise.allSettled(
    table.map(async (service) => {
      if (service.database) await migrate(service, node, logs);
      await supervisor.start(programOf(service, node));
    }),
  );
  const failures = started.flatMap((result) =>
    result.status === 'rejected' ? [reasonOf(result.reason)] : [],
  );
  if (failures.length > 0) throw new CannotStart(failures.join('\n'));
}

async function migrate({ service, env }: ServiceProcess, node: NodeRuntime, logs: string): Promise<void> {
  const { code, output } = await runToEnd(
    node.command,
    [...node.flags, migrateFile(node.checkout, service)],
    {
      cwd: node.checkout,
      env: { ...node.env, SSS_DATABASE_URL: env.SSS_DATABASE_URL },
      withinMs: MIGRATE_MS,
    },
  );
  const log = join(logs, `${service}-migrate.log`);
  writeFileSync(log, output, { mode: 0o600 });
  if (code !== 0)
    throw new CannotStart(
      `the database of ${service} cannot be brought to its schema: ${tellingLine(output)} (log: ${log})`,
    );
}

function programOf({ name, service, env, readyPort }: ServiceProcess, node: NodeRuntime): Program {
  return {
    name,
    command: node.command,
    args: [...node.flags, mainFile(node.checkout, service)],
    env: { ...node.env, ...env },
    cwd: join(node.checkout, 'services', service),
    stopSignal: 'SIGTERM',
    stopWithinMs: STOP_MS,
    channel: true,
    isReady: () => answersReady(readyPort),
    readyWithinMs: READY_MS,
  };
}
