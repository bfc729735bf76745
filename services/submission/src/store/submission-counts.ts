import { type Registry, sharedCounter, sharedHistogram, WAIT_SECONDS } from '@supplier/lib/runtime/metrics';
import { publicName } from '@supplier/lib/text/status-object';
import { Environment, Level, Status } from '@supplier/proto/common/v1/status';
import type { LockedSubmission } from '../model/locked-submission.ts';
import { STAFF_POLICY } from '../model/policy/decision-policy.ts';
import type { SubmissionState } from '../model/submission.ts';

/** Counts submissions after their results are committed. Label values are closed sets. */
export interface SubmissionCounts {
  readonly countReceived: (state: Pick<SubmissionState, 'environment' | 'level'>) => void;
  /** Counts decisions; for decisions by policy, also the time from receipt to `now`. */
  readonly countDecided: (
    submissions: readonly Pick<LockedSubmission, 'state' | 'unsaved'>[],
    now: Date,
  ) => void;
}

const ENVIRONMENTS = [Environment.SANDBOX, Environment.PRODUCTION];
const LEVELS = [Level.BASIC, Level.APPLICATION];
const DECISIONS = [Status.ACCEPTED, Status.REJECTED, Status.DUPLICATE_NOT_ACCEPTED];
/** Who can decide. */
const DECIDERS = ['policy', STAFF_POLICY];

export function submissionCounts(registry: Registry): SubmissionCounts {
  const received = sharedCounter(registry, {
    name: 'sss_submissions_received_total',
    help: 'Submissions recorded by this process.',
    labelNames: ['environment', 'level'] as const,
  });
  const decisions = sharedCounter(registry, {
    name: 'sss_decisions_total',
    help: 'Decisions made by this process, by policy or by staff.',
    labelNames: ['environment', 'level', 'decision', 'decided_by'] as const,
  });
  const latency = sharedHistogram(registry, {
    name: 'sss_received_to_decided_seconds',
    help: 'Time from the receipt of a submission to its committed decision by policy.',
    labelNames: ['level'] as const,
    buckets: WAIT_SECONDS,
  });
  for (const level of LEVELS.map(levelName)) {
    latency.zero({ level });
    for (const environment of ENVIRONMENTS.map(environmentName)) {
      received.inc({ environment, level }, 0);
      for (const decision of DECISIONS.map(statusName))
        for (const decided_by of DECIDERS) decisions.inc({ environment, level, decision, decided_by }, 0);
    }
  }
  return {
    countReceived({ environment, level }) {
      received.inc({ environment: environmentName(environment), level: levelName(level) });
    },
    countDecided(submissions, now) {
      for (const { state, unsaved } of submissions) {
        if (!unsaved.decision) continue;
        const level = levelName(state.level);
        const decided_by = unsaved.decision.policyVersion === STAFF_POLICY ? STAFF_POLICY : 'policy';
        const environment = environmentName(state.environment);
        decisions.inc({ environment, level, decision: statusName(unsaved.decision.status), decided_by });
        // One that waited for a correction says nothing of how fast policy decides.
        if (decided_by === 'policy' && !state.unidentified)
          latency.observe({ level }, Math.max(0, now.getTime() - state.receivedAt.getTime()) / 1_000);
      }
    },
  };
}

const environmentName = (value: Environment) => publicName(Environment, value);
const levelName = (value: Level) => publicName(Level, value);
const statusName = (value: Status) => publicName(Status, value);
