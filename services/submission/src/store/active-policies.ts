import { isUnavailable } from '@supplier/lib/data/postgres';
import { ConfigError } from '@supplier/lib/runtime/config';
import type { Logger } from '@supplier/lib/runtime/log';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import { compileDecisionPolicy, type DecisionPolicy } from '../model/policy/decision-policy.ts';
import { ALL_KINDS, type KnownPolicyKind, POLICY_KINDS, policyTarget } from '../model/policy/policy-kinds.ts';
import {
  compilePreUnderwritingPolicy,
  type PreUnderwritingPolicy,
} from '../model/policy/pre-underwriting-policy.ts';
import { type ActivationRow, activePolicies, findPolicyText, sha256Of } from './policies.sql.ts';

/** The policies that a process currently decides by. Code that handles a set of submissions reads each once. */
export interface Policies {
  readonly decision: DecisionPolicy;
  readonly preUnderwriting: PreUnderwritingPolicy;
}

/** Thrown until a process has reached its database. Callers retry, as when the database is unavailable. */
class PoliciesNotLoaded extends Error {
  override readonly name = 'PoliciesUnread';
  /** cannot_connect_now */
  readonly code = '57P03';
}

/** The active policies, as last read by this process. */
export class ActivePolicies implements Policies {
  #decision: DecisionPolicy | undefined;
  #preUnderwriting: PreUnderwritingPolicy | undefined;
  /** The latest known activation of each kind, and whether it is usable. */
  readonly #seen = new Map<KnownPolicyKind, { readonly sequence: string; readonly usable: boolean }>();

  constructor(initial?: Policies) {
    this.#decision = initial?.decision;
    this.#preUnderwriting = initial?.preUnderwriting;
  }

  get decision(): DecisionPolicy {
    return this.#decision ?? unread();
  }

  get preUnderwriting(): PreUnderwritingPolicy {
    return this.#preUnderwriting ?? unread();
  }

  /** The kinds whose active version this process cannot use. */
  get unusable(): readonly KnownPolicyKind[] {
    return ALL_KINDS.filter((kind) => this.#seen.get(kind)?.usable === false);
  }

  /**
   * Applies new activations. An unusable one is reported once and the previous policy is kept; throws if there is none.
   */
  async refresh(pool: pg.Pool, log: Logger): Promise<void> {
    for (const active of await activePolicies(pool, ALL_KINDS)) {
      const { kind, sequence, version } = active;
      if (this.#seen.get(kind)?.sequence === sequence) continue;
      try {
        this.#use(kind, await textOf(pool, active));
        this.#seen.set(kind, { sequence, usable: true });
        log.info({ resource: policyTarget(kind, version) }, 'policy activated');
      } catch (err) {
        if (isUnavailable(err)) throw err;
        if (!this.#has(kind)) throw cannotBeUsed(active, err);
        this.#seen.set(kind, { sequence, usable: false });
        const resource = policyTarget(kind, version);
        log.error({ resource, reason: reasonOf(err), err }, 'active policy cannot be used');
      }
    }
  }

  #has(kind: KnownPolicyKind): boolean {
    return kind === PolicyKind.DECISION ? this.#decision !== undefined : this.#preUnderwriting !== undefined;
  }

  #use(kind: KnownPolicyKind, text: string): void {
    switch (kind) {
      case PolicyKind.DECISION:
        this.#decision = compileDecisionPolicy(text);
        return;
      case PolicyKind.PRE_UNDERWRITING:
        this.#preUnderwriting = compilePreUnderwritingPolicy(text);
        return;
    }
  }
}

function unread(): never {
  throw new PoliciesNotLoaded('the active policies have not been read from the database yet');
}

async function textOf(pool: pg.Pool, { kind, version }: ActivationRow): Promise<string> {
  const stored = await findPolicyText(pool, kind, version);
  if (!stored) throw new Error('its text is not stored.');
  if (sha256Of(stored.text) !== stored.sha256) throw new Error('its text differs from the stored one.');
  return stored.text;
}

function cannotBeUsed({ kind, version }: ActivationRow, error: unknown): Error {
  const what = `the active ${POLICY_KINDS[kind].name} policy ${version} cannot be used by this release`;
  return new ConfigError(`${what}: ${reasonOf(error)} See docs/operating.md, "Policies".`);
}

/** A policy contains nothing secret or personal. */
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 1_000);
