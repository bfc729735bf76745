import type { PolicyViolation } from '../model/policy/policy.ts';
import type { KnownPolicyKind, ReadPolicy } from '../model/policy/policy-kinds.ts';
import type { DecidedBefore, DryRunCounts, DryRunFindings } from './dry-run.ts';

export type Checked = { readonly policy: ReadPolicy } | { readonly violations: readonly PolicyViolation[] };

/** A submission as sent to the thread: its messages as bytes, without identifying data. */
export type TriedSubmission = Omit<DecidedBefore, 'enquiry' | 'terms'> & {
  readonly enquiry: Uint8Array;
  readonly terms: Uint8Array;
};

export interface ThreadRequests {
  check: { ask: { readonly kind: KnownPolicyKind; readonly text: string }; answer: Checked };
  /** Compiles the policy for the next dry run. */
  beginDryRun: { ask: { readonly text: string }; answer: Checked };
  trySubmissions: { ask: { readonly submissions: readonly TriedSubmission[] }; answer: DryRunCounts };
  endDryRun: { ask: Record<never, never>; answer: DryRunFindings };
}

export type RequestName = keyof ThreadRequests;
export type Answers = {
  [Name in RequestName]: (ask: ThreadRequests[Name]['ask']) => ThreadRequests[Name]['answer'];
};

/** Messages from the thread: that it is listening, and its answers. */
export type FromThread = 'listening' | { readonly answer: unknown };
