import { residentBytes } from '../memory.ts';
import { formatDuration, type Terminal } from '../terminal.ts';
import { showDocument } from './document-job.ts';
import { type Stage, showMainJob } from './main-job.ts';
import { createReport } from './report.ts';
import { measureWebhookLatency, median } from './webhook-latency.ts';

const SAMPLES = 20;
const MIB = 1024 * 1024;
const BOUNDS = { readyMs: 20_000, latencyMs: 150, memoryBytes: 1.2 * 1024 * MIB };

/**
 * Shows the main job on the terminal, then the figures that it must keep to. Resolves to true when every step held.
 * `readyMs` is how long the start took, without the time in which tools were downloaded or built.
 */
export async function demonstrate(stage: Stage, readyMs: number, terminal: Terminal): Promise<boolean> {
  const report = createReport(terminal);
  await showMainJob(stage, report);
  if (report.allHeld()) await showDocument(stage, report);
  if (!report.allHeld()) return false;
  const latency = median(await measureWebhookLatency(stage, SAMPLES));
  terminal.say('');
  report.figure('ready after', readyMs, BOUNDS.readyMs, formatDuration);
  report.figure(`enquiry to verified webhook, p50 of ${SAMPLES}`, latency, BOUNDS.latencyMs, formatDuration);
  report.figure('memory of the whole stack', residentBytes(process.pid), BOUNDS.memoryBytes, formatMemory);
  return report.allHeld();
}

const formatMemory = (bytes: number) => `${Math.round(bytes / MIB)} MiB`;
