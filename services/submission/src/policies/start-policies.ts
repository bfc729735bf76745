import { readFileSync } from 'node:fs';
import { isUnavailable } from '@supplier/lib/data/postgres';
import { sharedGauge } from '@supplier/lib/runtime/metrics';
import type { ServiceProcess } from '@supplier/lib/runtime/service-runtime';
import { startSweepers } from '@supplier/lib/runtime/sweepers';
import type { Clock } from '@supplier/lib/text/time';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import { ALL_KINDS, type KnownPolicyKind, POLICY_KINDS } from '../model/policy/policy-kinds.ts';
import type { ActivePolicies } from '../store/active-policies.ts';
import { enterRelease } from './enter-release.ts';

/** With the query, well within the five seconds in which every process must apply an activation. */
const LOOK_EVERY_MS = 2_000;
const UNDEFINED_TABLE = '42P01';

interface PolicyContext {
  readonly workPool: pg.Pool;
  readonly clock: Clock;
  readonly policies: ActivePolicies;
}

/**
 * Stores the policies of the release, which are in `folder`, reads the active ones, and checks for new activations every two seconds. Rejects
 * if an active policy is unusable, so that the process does not start with it. While the database is unavailable, or
 * not yet migrated, the start continues, and nothing is decided until the policies have been read.
 */
export async function startPolicies(
  process: ServiceProcess,
  context: PolicyContext,
  folder: URL,
): Promise<void> {
  const { policies, workPool } = context;
  sharedGauge(
    process.metrics,
    {
      name: 'sss_policy_unusable',
      help: '1 if the active version cannot be used by this process, which then uses the previous one.',
      labelNames: ['kind'],
    },
    () =>
      ALL_KINDS.map(
        (kind) => [{ kind: POLICY_KINDS[kind].name }, policies.unusable.includes(kind) ? 1 : 0] as const,
      ),
  );
  let isEntered = await attempt(process, context, folder);
  const look = {
    found: 'policies read',
    everyMs: LOOK_EVERY_MS,
    async run() {
      if (isEntered) await policies.refresh(workPool, process.log);
      else isEntered = await attempt(process, context, folder).catch(endWith);
      return { count: 0, more: false };
    },
  };
  startSweepers(process, [look], undefined);

  function endWith(error: Error): boolean {
    process.fail(error);
    return false;
  }
}

/** Resolves to whether the database could be queried. */
async function attempt(
  process: ServiceProcess,
  { workPool, clock, policies }: PolicyContext,
  folder: URL,
): Promise<boolean> {
  try {
    const texts = releaseTexts(folder);
    for (const kind of ALL_KINDS)
      await enterRelease(workPool, clock, process.log, { kind, text: texts[kind] });
    await policies.refresh(workPool, process.log);
    return true;
  } catch (error) {
    if (isUnavailable(error) || (error as { code?: unknown }).code === UNDEFINED_TABLE) return false;
    throw error;
  }
}

/** Returns the policy texts of this release. */
export function releaseTexts(folder: URL): Readonly<Record<KnownPolicyKind, string>> {
  const text = (kind: KnownPolicyKind) =>
    readFileSync(new URL(`policy/${POLICY_KINDS[kind].name}.json`, folder), 'utf8');
  return {
    [PolicyKind.DECISION]: text(PolicyKind.DECISION),
    [PolicyKind.PRE_UNDERWRITING]: text(PolicyKind.PRE_UNDERWRITING),
  };
}
