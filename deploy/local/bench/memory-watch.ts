import { residentMib } from './process-usage.ts';

const LOOK_EVERY_MS = 4;

export interface MemoryWatch {
  /** MiB at the start. */
  readonly before: number;
  /** Ends the watch. Returns the most that the process held meanwhile beyond what it held at the start, in MiB. */
  stop(): number;
}

/** Watches what a process holds in memory. Only for a process that has little else to do. */
export function watchMemory(pid: number): MemoryWatch {
  const before = residentMib(pid);
  let peak = before;
  const look = () => {
    peak = Math.max(peak, residentMib(pid));
  };
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    before,
    stop() {
      clearInterval(timer);
      look();
      return peak - before;
    },
  };
}
