import type { Benchmark } from './benchmark.ts';
import { documentUpload } from './document-upload.ts';
import { finding } from './finding/finding.ts';
import { leads } from './leads/leads.ts';
import { peopleAndPolicies } from './people-and-policies/people-and-policies.ts';
import { processStart } from './process-start.ts';
import { statement } from './statement.ts';
import { webhookDelivery } from './webhook-delivery.ts';
import { webhookFairness } from './webhook-fairness.ts';

/** What can be measured, by name. */
export const benchmarks: Readonly<Record<string, Benchmark>> = {
  'document-upload': documentUpload,
  finding,
  leads,
  'people-and-policies': peopleAndPolicies,
  start: processStart,
  statement,
  'webhook-delivery': webhookDelivery,
  'webhook-fairness': webhookFairness,
};

/** One line per benchmark. */
export function describeBenchmarks(): string {
  return Object.entries(benchmarks)
    .map(([name, { summary }]) => `  ${name.padEnd(20)} ${summary}`)
    .join('\n');
}
