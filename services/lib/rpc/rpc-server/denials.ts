import type { DescService } from '@bufbuild/protobuf';
import type { Logger } from '../../runtime/log/index.ts';
import { type Registry, sharedCounter } from '../../runtime/metrics/index.ts';
import type { WithheldRoles } from './verify-token.ts';

const WINDOW_MS = 60_000;
/** Lines per window: guessing tokens must not flood the log. The counter counts all denials. */
const MAX_LINES = 100;

const REASONS = ['no_token', 'bad_token', 'other_audience', 'role', 'no_supplier', 'scope'] as const;

/** A denied call and the reason. Contains nothing from an unverified token. */
export interface Denial {
  readonly rpc: string;
  readonly reason: (typeof REASONS)[number];
  /** The peer's address, which may be a proxy's. */
  readonly address: string;
  /** From a verified token. */
  readonly subject?: string;
  readonly roles?: readonly string[];
  /** The kind of token fault. */
  readonly why?: string;
}

/** Counts every denial and withheld role, and logs at most 100 a minute and how many more there were. */
export function denials(
  registry: Registry,
  log: Logger,
  services: readonly DescService[] = [],
  now: () => number = Date.now,
) {
  const denied = sharedCounter(registry, {
    name: 'sss_rpc_denied_total',
    help: 'Denied calls, by method and reason.',
    labelNames: ['rpc', 'reason'] as const,
  });
  for (const { typeName, methods } of services)
    for (const { name } of methods)
      for (const reason of REASONS) denied.inc({ rpc: `${typeName}/${name}`, reason }, 0);
  const withheldRoles = sharedCounter(registry, {
    name: 'sss_rpc_withheld_roles_total',
    help: 'Verified tokens with a role that their issuer may not give.',
  });
  const line = boundedLines(log, now);
  return {
    deny(denial: Denial): void {
      denied.inc({ rpc: denial.rpc, reason: denial.reason });
      const { rpc, reason, address, subject, roles, why } = denial;
      const fields = { rpc, reason, address, caller: subject, role: roles?.join(' '), error_class: why };
      line(fields, 'call denied');
    },
    /** Records roles that an issuer claimed but may not give; they are ignored. */
    withhold(withheld: WithheldRoles): void {
      withheldRoles.inc();
      const { issuer, subject, roles } = withheld;
      line({ issuer, caller: subject, role: roles.join(' ') }, 'role not permitted to its issuer');
    },
  };
}

function boundedLines(log: Logger, now: () => number): (fields: object, message: string) => void {
  let startedAt = Number.NEGATIVE_INFINITY;
  let lines = 0;
  return (fields, message) => {
    if (now() - startedAt >= WINDOW_MS) {
      if (lines > MAX_LINES) log.warn({ count: lines - MAX_LINES }, 'denied calls not logged');
      startedAt = now();
      lines = 0;
    }
    lines += 1;
    if (lines <= MAX_LINES) log.warn(fields, message);
  };
}
