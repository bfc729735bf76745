import { endWithLine } from '../command/index.ts';
import { ConfigError } from '../config/index.ts';
import { createLogger, type Logger } from '../log/index.ts';
import { processRegistry, type Registry } from '../metrics/index.ts';
import { startTracing } from '../tracing/index.ts';
import { type StopHook, type StopStage, StopStages } from './stop-stages.ts';

export { drainHttp, PUBLIC_DRAIN } from './drain-http.ts';
export { bareApp, listenPrivately, pageRoutes } from './pages.ts';
export { lackIn, NotReady, type Readiness, readinessLog } from './readiness.ts';
export {
  type PlainListeners,
  type ProcessConfig,
  processConfig,
  processVariables,
  type ServiceConfig,
  serviceConfig,
  serviceVariables,
  type TlsListener,
} from './service-config.ts';
export { type StopHook, type StopStage, StopStages } from './stop-stages.ts';

const STOP_DEADLINE_MS = 10_000;

/** A running process: its logger, its metrics, and the parts to stop before it ends. */
export interface ServiceProcess {
  readonly name: string;
  readonly log: Logger;
  readonly metrics: Registry;
  /** Registers a part to stop, and its stage: 'workers' by default. */
  onStop(what: string, stop: StopHook, stage?: StopStage): void;
  /** Ends the process after the start: by a ConfigError with exit code 78, otherwise as a failure. */
  fail(error: Error): void;
  /** Aborts as soon as the process is asked to stop. */
  readonly stopping: AbortSignal;
}

/**
 * Runs a service until SIGTERM, SIGINT or the loss of a supervising parent. A bad configuration ends it with one line
 * and exit code 78; a clean stop exits 0; a stop that takes longer than 10 s is abandoned with exit code 1.
 */
export function runProcess(name: string, start: (process: ServiceProcess) => Promise<void>): void {
  const log = createLogger(name);
  const stages = new StopStages();
  const stopping = new AbortController();

  async function stop(reason: string): Promise<void> {
    if (stopping.signal.aborted) return;
    stopping.abort(new Error('process stopping'));
    log.info({ reason }, 'stopping');
    const deadline = setTimeout(() => {
      log.error({ reason: 'deadline', resource: [...stages.running].join(', ') }, 'shutdown timed out');
      process.exit(1);
    }, STOP_DEADLINE_MS);
    await stages.stop(log);
    clearTimeout(deadline);
    log.info({}, 'stopped');
    process.exit(0);
  }

  function fail(err: unknown): void {
    if (err instanceof ConfigError) endWithLine(name, err);
    log.fatal({ err }, 'process failed');
    process.exit(1);
  }

  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  // The channel closes when the supervisor is killed: nothing that it started outlives it.
  if (process.channel) process.on('disconnect', () => void stop('parent lost'));
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);

  const handle: ServiceProcess = {
    name,
    log,
    metrics: processRegistry(),
    stopping: stopping.signal,
    onStop: (what, stopOne, stage) => stages.add(what, stopOne, stage),
    fail,
  };
  startTracing(handle)
    .then(() => start(handle))
    .then(() => log.info({ pid: process.pid }, 'started'), fail);
}
