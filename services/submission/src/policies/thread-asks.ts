import type { DecidedBefore, DryRunCounts, DryRunFindings } from '../domain/dry-run.ts';
import type { PolicyViolation } from '../domain/policy.ts';
import type { KnownPolicyKind, ReadPolicy } from '../domain/policy-kinds.ts';

/** What a text says, or what is wrong with it. */
export type Checked = { readonly policy: ReadPolicy } | { readonly violations: readonly PolicyViolation[] };

/** A lead on its way to the thread: its messages as bytes, and nothing that identifies anybody among them. */
export type TriedLead = Omit<DecidedBefore, 'enquiry' | 'terms'> & {
  readonly enquiry: Uint8Array;
  readonly terms: Uint8Array;
};

/** What the thread is asked for, and what it answers. */
export interface ThreadAsks {
  check: { ask: { readonly kind: KnownPolicyKind; readonly text: string }; answer: Checked };
  /** Compiles the policy that is tried from here on. */
  beginDryRun: { ask: { readonly text: string }; answer: Checked };
  tryLeads: { ask: { readonly leads: readonly TriedLead[] }; answer: DryRunCounts };
  endDryRun: { ask: Record<never, never>; answer: DryRunFindings };
}

export type AskName = keyof ThreadAsks;
export type Answers = {
  [Name in AskName]: (ask: ThreadAsks[Name]['ask']) => ThreadAsks[Name]['answer'];
};

/** What the thread posts: that it listens, and its answers. */
export type FromThread = 'listening' | { readonly answer: unknown };
