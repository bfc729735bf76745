import type { EnvironmentName } from './environment.ts';
import { type SignatureSet, type Unfitness, unfitness } from './signature-set.ts';

/** What an operator says about the signatures that documents may be scanned with. */
export interface SignaturePolicy {
  readonly maxAgeDays: number;
  /** Scans documents of the sandbox with whatever signatures there are. Production refuses that, always. */
  readonly anySignatures: boolean;
}

/** Whose documents may be scanned now, and why others may not. */
export interface Admission {
  readonly environments: readonly EnvironmentName[];
  readonly unfit: Unfitness | undefined;
}

/** Decides whose documents the signatures are good enough for. Implements docs/contract.md, section 2. */
export function admission(signatures: SignatureSet, policy: SignaturePolicy, now: Date): Admission {
  const unfit = unfitness(signatures, policy.maxAgeDays, now);
  if (!unfit) return { environments: ['sandbox', 'production'], unfit };
  return { environments: policy.anySignatures ? ['sandbox'] : [], unfit };
}
