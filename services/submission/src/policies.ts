import { readFileSync } from 'node:fs';
import { appendAudit, serviceActor } from '@supplier/lib/audit';
import { ConfigError } from '@supplier/lib/config';
import type { Logger } from '@supplier/lib/log';
import { sharedGauge } from '@supplier/lib/metrics';
import { inTransaction, isUnavailable } from '@supplier/lib/postgres';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { startSweepers } from '@supplier/lib/sweepers';
import type { Clock } from '@supplier/lib/time';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type pg from 'pg';
import {
  type ActivationRow,
  activePolicies,
  findPolicyText,
  insertActivation,
  insertPolicy,
  lockPolicies,
  sha256Of,
} from './db/policies.ts';
import { compileDecisionPolicy, type DecisionPolicy } from './domain/decision-policy.ts';
import { ALL_KINDS, type KnownPolicyKind, POLICY_KINDS, policyTarget } from './domain/policy-kinds.ts';
import {
  compilePreUnderwritingPolicy,
  type PreUnderwritingPolicy,
} from './domain/pre-underwriting-policy.ts';

/** With the time that a look takes, well within the five seconds in which every process follows an activation. */
const LOOK_EVERY_MS = 2_000;
const UNDEFINED_TABLE = '42P01';
const BY_RELEASE = serviceActor('submission');

/** The policies by which a process decides at this moment. Whoever handles a set of leads takes each once. */
export interface Policies {
  readonly decision: DecisionPolicy;
  readonly preUnderwriting: PreUnderwritingPolicy;
}

/** What a process that has not reached its database yet says; it is asked again, like a database that is away. */
class PoliciesUnread extends Error {
  override readonly name = 'PoliciesUnread';
  /** cannot_connect_now */
  readonly code = '57P03';
}

/** The texts that this release brings. */
export function releaseTexts(): Readonly<Record<KnownPolicyKind, string>> {
  const text = (kind: KnownPolicyKind) =>
    readFileSync(new URL(`../policy/${POLICY_KINDS[kind].name}.json`, import.meta.url), 'utf8');
  return {
    [PolicyKind.DECISION]: text(PolicyKind.DECISION),
    [PolicyKind.PRE_UNDERWRITING]: text(PolicyKind.PRE_UNDERWRITING),
  };
}

/** The policies that this release brings, whatever is in force. */
export function releasePolicies(): Policies {
  const texts = releaseTexts();
  return {
    decision: compileDecisionPolicy(texts[PolicyKind.DECISION]),
    preUnderwriting: compilePreUnderwritingPolicy(texts[PolicyKind.PRE_UNDERWRITING]),
  };
}

/** The policies in force, as far as this process has read them. */
export class PoliciesInForce implements Policies {
  #decision: DecisionPolicy | undefined;
  #preUnderwriting: PreUnderwritingPolicy | undefined;
  /** The activation of each kind that was looked at last, and whether it could be used. */
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

  /** The kinds of which a version is in force that this process cannot use. */
  get unusable(): readonly KnownPolicyKind[] {
    return ALL_KINDS.filter((kind) => this.#seen.get(kind)?.usable === false);
  }

  /**
   * Takes over what has been activated since the last look. One that cannot be used is told of once, and the one before
   * it is kept; throws where there is none before it.
   */
  async refresh(pool: pg.Pool, log: Logger): Promise<void> {
    for (const active of await activePolicies(pool, ALL_KINDS)) {
      const { kind, sequence, version } = active;
      if (this.#seen.get(kind)?.sequence === sequence) continue;
      try {
        this.#use(kind, await textOf(pool, active));
        this.#seen.set(kind, { sequence, usable: true });
        log.info({ resource: policyTarget(kind, version) }, 'policy in force');
      } catch (err) {
        if (isUnavailable(err)) throw err;
        if (!this.#has(kind)) throw cannotBeUsed(active, err);
        this.#seen.set(kind, { sequence, usable: false });
        const resource = policyTarget(kind, version);
        log.error({ resource, reason: reasonOf(err), err }, 'policy in force cannot be used');
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
  throw new PoliciesUnread('the policies in force have not been read from the database yet');
}

async function textOf(pool: pg.Pool, { kind, version }: ActivationRow): Promise<string> {
  const stored = await findPolicyText(pool, kind, version);
  if (!stored) throw new Error('its text is not stored.');
  if (sha256Of(stored.text) !== stored.sha256) throw new Error('its text is not the one that was stored.');
  return stored.text;
}

function cannotBeUsed({ kind, version }: ActivationRow, error: unknown): Error {
  const what = `the ${POLICY_KINDS[kind].name} policy ${version} is in force and cannot be used by this release`;
  return new ConfigError(`${what}: ${reasonOf(error)} See docs/operating.md, "Policies".`);
}

/** Nothing of a policy is secret or personal. */
const reasonOf = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 1_000);

interface PolicyContext {
  readonly workPool: pg.Pool;
  readonly clock: Clock;
  readonly policies: PoliciesInForce;
}

/**
 * Enters what the release brings, reads what is in force, and looks every two seconds for what has been activated since.
 * Rejects where what is in force cannot be used: the process must not start with it. While the database is unavailable,
 * or not migrated yet, the start goes on, and nothing is decided until the policies have been read.
 */
export async function startPolicies(process: ServiceProcess, context: PolicyContext): Promise<void> {
  const { policies, workPool } = context;
  sharedGauge(
    process.metrics,
    {
      name: 'sss_policy_unusable',
      help: 'Whether a version is in force that this process cannot use: it goes on with the one before.',
      labelNames: ['kind'],
    },
    () =>
      ALL_KINDS.map(
        (kind) => [{ kind: POLICY_KINDS[kind].name }, policies.unusable.includes(kind) ? 1 : 0] as const,
      ),
  );
  let isEntered = await attempt(process, context);
  const look = {
    found: 'policies read',
    everyMs: LOOK_EVERY_MS,
    async run() {
      if (isEntered) await policies.refresh(workPool, process.log);
      else isEntered = await attempt(process, context).catch(endWith);
      return { count: 0, more: false };
    },
  };
  startSweepers(process, [look], undefined);

  function endWith(error: Error): boolean {
    process.fail(error);
    return false;
  }
}

/** Whether the database could be asked. */
async function attempt(
  process: ServiceProcess,
  { workPool, clock, policies }: PolicyContext,
): Promise<boolean> {
  try {
    const texts = releaseTexts();
    for (const kind of ALL_KINDS)
      await enterRelease(workPool, clock, process.log, { kind, text: texts[kind] });
    await policies.refresh(workPool, process.log);
    return true;
  } catch (error) {
    if (isUnavailable(error) || (error as { code?: unknown }).code === UNDEFINED_TABLE) return false;
    throw error;
  }
}

/**
 * Stores the version that a release brings, once, and puts it in force unless a person has chosen what is. A version that
 * is stored already, by an earlier start or by staff, stays as it is.
 */
export async function enterRelease(
  pool: pg.Pool,
  clock: Clock,
  log: Logger,
  { kind, text }: { readonly kind: KnownPolicyKind; readonly text: string },
): Promise<void> {
  const { version } = POLICY_KINDS[kind].read(text);
  const known = await findPolicyText(pool, kind, version);
  if (known) return tellOfOtherText(known.text);
  await inTransaction(pool, async (tx) => {
    lockPolicies(tx, kind);
    const meanwhile = await findPolicyText(tx, kind, version);
    if (meanwhile) return tellOfOtherText(meanwhile.text);
    const [active] = await activePolicies(tx, [kind]);
    const entered = { kind, version, text, note: 'Came with a release.', at: clock.now(), by: BY_RELEASE };
    const audited = {
      ...BY_RELEASE,
      at: entered.at,
      target: policyTarget(kind, version),
      purpose: entered.note,
    };
    await insertPolicy(tx, entered);
    await appendAudit(tx, { ...audited, action: 'StorePolicy', after: { sha256: sha256Of(text) } });
    if (active && !(active.actor === BY_RELEASE.actor && active.issuer === BY_RELEASE.issuer)) return;
    await insertActivation(tx, entered);
    const change = { before: { version: active?.version ?? null }, after: { version } };
    await appendAudit(tx, { ...audited, action: 'ActivatePolicy', ...change });
  });

  function tellOfOtherText(stored: string): void {
    if (stored === text) return;
    log.error(
      { resource: policyTarget(kind, version) },
      'policy of the release not stored: its version has another text',
    );
  }
}
