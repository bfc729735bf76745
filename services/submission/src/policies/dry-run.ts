import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import type { Terms } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import type { DecidedStatus, DecisionPolicy } from '../model/policy/decision-policy.ts';

const MAX_CHANGES = 200;
const MAX_EXAMPLES = 100;

/** A submission with its original decision. */
export interface DecidedBefore {
  readonly id: SubmissionId;
  /** The key for counting its account's accepted submissions. */
  readonly capKey: string;
  readonly decidedAt: Date;
  readonly status: DecidedStatus;
  readonly rule: string;
  readonly terms: Terms;
  /** As stored bits. */
  readonly contactChecks: number;
  readonly enquiry: Enquiry;
}

export interface DryRunChange {
  readonly from: DecidedStatus;
  readonly to: DecidedStatus;
  readonly fromRule: string;
  readonly toRule: string;
  count: number;
}

export interface DryRunExample {
  readonly id: SubmissionId;
  readonly from: DecidedStatus;
  /** Undefined if the policy fails. */
  readonly to: DecidedStatus | undefined;
  readonly fromRule: string;
  readonly toRule: string;
  readonly reason: string;
}

/** Counts of the submissions so far. */
export interface DryRunCounts {
  readonly unchanged: number;
  readonly unchangedByAnotherRule: number;
  readonly changed: number;
  readonly failed: number;
}

export interface DryRunFindings {
  /** Most frequent first. */
  readonly changes: readonly DryRunChange[];
  readonly examples: readonly DryRunExample[];
}

/**
 * Decides submissions again with a different policy, in the given order. Duplicates stay duplicates, and no other submission
 * becomes one; caps count this policy's acceptances. Pure. Implements docs/contract.md, section 5.
 */
export class DryRun {
  readonly #policy: DecisionPolicy;
  readonly #accepted = new Map<string, number>();
  readonly #changes = new Map<string, DryRunChange>();
  readonly #examples: DryRunExample[] = [];
  readonly #counts = { unchanged: 0, unchangedByAnotherRule: 0, changed: 0, failed: 0 };

  constructor(policy: DecisionPolicy) {
    this.#policy = policy;
  }

  get counts(): DryRunCounts {
    return { ...this.#counts };
  }

  get findings(): DryRunFindings {
    const changes = [...this.#changes.values()].sort((a, b) => b.count - a.count).slice(0, MAX_CHANGES);
    return { changes, examples: this.#examples };
  }

  add(submission: DecidedBefore): void {
    const { id, status: from, rule: fromRule } = submission;
    const day = `${submission.capKey}/${submission.decidedAt.toISOString().slice(0, 10)}`;
    const month = day.slice(0, -3);
    let decision: ReturnType<DecisionPolicy['decide']>;
    try {
      decision = this.#policy.decide(submission.enquiry, submission.terms, {
        duplicate: from === Status.DUPLICATE_NOT_ACCEPTED,
        contactChecks: submission.contactChecks,
        acceptedToday: this.#accepted.get(day) ?? 0,
        acceptedThisMonth: this.#accepted.get(month) ?? 0,
      });
    } catch (error) {
      this.#counts.failed += 1;
      // The message contains only the rule and the kind of failure.
      this.#example({ id, from, to: undefined, fromRule, toRule: '', reason: reasonOf(error) });
      return;
    }
    const { status: to, rule: toRule, reason } = decision;
    if (to === Status.ACCEPTED)
      for (const key of [day, month]) this.#accepted.set(key, (this.#accepted.get(key) ?? 0) + 1);
    if (to === from) {
      this.#counts.unchanged += 1;
      if (toRule !== fromRule) this.#counts.unchangedByAnotherRule += 1;
      return;
    }
    this.#counts.changed += 1;
    const key = JSON.stringify([from, to, fromRule, toRule]);
    const change = this.#changes.get(key) ?? { from, to, fromRule, toRule, count: 0 };
    change.count += 1;
    this.#changes.set(key, change);
    this.#example({ id, from, to, fromRule, toRule, reason });
  }

  #example(example: DryRunExample): void {
    if (this.#examples.length < MAX_EXAMPLES) this.#examples.push(example);
  }
}

const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 200);
