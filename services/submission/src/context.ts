import { readFileSync } from 'node:fs';
import type { Client } from '@connectrpc/connect';
import { KeyRing } from '@supplier/lib/crypto';
import { openPool } from '@supplier/lib/postgres';
import { createRpcClient, serviceTokens } from '@supplier/lib/rpc-client';
import type { ServiceProcess } from '@supplier/lib/service-runtime';
import { type Clock, systemClock } from '@supplier/lib/time';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type pg from 'pg';
import type { SubmissionConfig } from './config.ts';
import { type Database, openDatabase } from './db/database.ts';
import { type InsertSubmission, insertSubmissions } from './db/insert-submissions.ts';
import { compileDecisionPolicy, type DecisionPolicy } from './domain/decision-policy.ts';
import {
  compilePreUnderwritingPolicy,
  type PreUnderwritingPolicy,
} from './domain/pre-underwriting-policy.ts';

/** Everything the operations of this service work with, built once. */
export interface Context {
  readonly config: Pick<
    SubmissionConfig,
    'duplicateWindowDays' | 'returnWindowDays' | 'pagesUrls' | 'arrivalLinkHours' | 'handoffLinkHours'
  >;
  readonly clock: Clock;
  readonly pool: pg.Pool;
  readonly db: Database;
  readonly insertSubmission: InsertSubmission;
  readonly keyRing: KeyRing;
  readonly decisionPolicy: DecisionPolicy;
  readonly preUnderwritingPolicy: PreUnderwritingPolicy;
  readonly billing: Client<typeof BillingService>;
}

/** Throws when the key ring or a policy cannot be used: the process must not start with it. */
export function createContext(
  config: SubmissionConfig,
  process: ServiceProcess,
  overrides: Partial<Context> = {},
): Context {
  const pool = overrides.pool ?? openPool(config, process);
  return {
    config,
    clock: systemClock,
    pool,
    db: openDatabase(pool),
    insertSubmission: insertSubmissions(pool),
    keyRing: overrides.keyRing ?? KeyRing.fromFile(config.keyRingFile),
    decisionPolicy: compileDecisionPolicy(policyText('decision')),
    preUnderwritingPolicy: compilePreUnderwritingPolicy(policyText('pre-underwriting')),
    billing: createRpcClient(BillingService, {
      baseUrl: config.billingUrl,
      audience: 'billing',
      tokens: serviceTokens(config.serviceTokenDir),
    }),
    ...overrides,
  };
}

function policyText(name: string): string {
  return readFileSync(new URL(`../policy/${name}.json`, import.meta.url), 'utf8');
}
