import type { ContainerProcess } from './container-process.ts';

/** A process gets at least that long after SIGTERM, whatever its hook has used up. */
const LEAST_MS = 2_000;

/** Ends a process: its hook, SIGTERM, and SIGKILL when the time is over. */
export interface Ender {
  /** Ends it within `graceMs` from now; asked again, within the shorter of both. Resolves once it has ended. */
  end(graceMs: number): Promise<void>;
}

export function enderOf(process: ContainerProcess, hook: (withinMs: number) => Promise<void>): Ender {
  let deadline = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let under: Promise<void> | undefined;

  function killAt(at: number): void {
    clearTimeout(timer);
    timer = setTimeout(() => process.signal('SIGKILL'), Math.max(0, at - Date.now()));
  }

  async function run(graceMs: number): Promise<void> {
    if (graceMs > 0) {
      await Promise.race([hook(graceMs), untilDeadline(), process.ended]);
      process.signal('SIGTERM');
      killAt(Math.max(deadline, Date.now() + LEAST_MS));
    } else process.signal('SIGKILL');
    await process.ended;
    clearTimeout(timer);
  }

  const untilDeadline = () =>
    new Promise<void>((resolve) => {
      setTimeout(resolve, Math.max(0, deadline - Date.now())).unref();
    });

  return {
    async end(graceMs) {
      const asked = Date.now() + graceMs;
      const shorter = asked < deadline;
      if (shorter) deadline = asked;
      if (under && shorter) killAt(deadline);
      under ??= run(graceMs);
      await under;
    },
  };
}
