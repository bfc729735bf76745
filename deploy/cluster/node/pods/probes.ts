import { setTimeout as pause } from 'node:timers/promises';
import type { Probe } from '../api/objects.ts';
import { afterAnswer, NOTHING_YET } from './probe-result.ts';
import { askOnce, type Target } from './probing.ts';

export interface ProbesOptions {
  readonly target: Target;
  /** Ends all probing. */
  readonly signal: AbortSignal;
  /** Ends what could end the container; whether it is ready is asked on. */
  readonly stopping: AbortSignal;
  started(): void;
  ready(ready: boolean): void;
  /** Called once, with the probe that found it dead. */
  dead(probe: Probe, kind: 'startup' | 'liveness'): void;
}

/** Probes a container from its start on: first whether it has started, then whether it lives and is ready. */
export async function runProbes(options: ProbesOptions): Promise<void> {
  const { target, signal } = options;
  const { startupProbe, livenessProbe, readinessProbe } = target.container;
  const lethal = AbortSignal.any([signal, options.stopping]);
  if (startupProbe) {
    const healthy = await first(startupProbe, target, lethal);
    if (healthy === undefined) return;
    if (!healthy) return options.dead(startupProbe, 'startup');
  }
  options.started();
  if (readinessProbe) void follow(readinessProbe, target, signal, (healthy) => options.ready(healthy));
  else options.ready(true);
  if (livenessProbe)
    void follow(livenessProbe, target, lethal, (healthy) => {
      if (!healthy) options.dead(livenessProbe, 'liveness');
    });
}

/** The first result; undefined when it was stopped before. */
function first(probe: Probe, target: Target, signal: AbortSignal): Promise<boolean | undefined> {
  return new Promise((resolve) => {
    const own = new AbortController();
    const until = AbortSignal.any([signal, own.signal]);
    void follow(probe, target, until, (healthy) => {
      own.abort();
      resolve(healthy);
    }).then(() => resolve(undefined));
  });
}

/** Asks again and again, and reports each change of the result. */
async function follow(
  probe: Probe,
  target: Target,
  signal: AbortSignal,
  changed: (healthy: boolean) => void,
): Promise<void> {
  const periodMs = (probe.periodSeconds ?? 10) * 1000;
  let result = NOTHING_YET;
  let next = Date.now() + (probe.initialDelaySeconds ?? 0) * 1000;
  for (;;) {
    await pause(Math.max(0, next - Date.now()), undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    // Late ones are left out, not made up for.
    next = Math.max(next + periodMs, Date.now());
    const before = result.healthy;
    result = afterAnswer(result, await askOnce(probe, target), probe);
    if (signal.aborted) return;
    if (result.healthy !== undefined && result.healthy !== before) changed(result.healthy);
  }
}
