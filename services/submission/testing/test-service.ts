import { randomBytes } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { KeyRing } from '@supplier/lib/data/crypto';
import { inTransaction } from '@supplier/lib/data/postgres';
import { createTestDatabase, inProcessClient, startTestProcess, type TestActor } from '@supplier/lib/testing';
import { type AccountId, type CredentialId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { systemClock } from '@supplier/lib/text/time';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { Scope, TermsSchema } from '@supplier/proto/common/v1/principal';
import { Environment, Level, Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import type { SubmissionConfig } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import { decideReceived } from '../src/decide/decide-received.ts';
import { decideInTurn } from '../src/decide/index.ts';
import { openPolicyChecks, type PolicyChecks } from '../src/policies/policy-checks.ts';
import { PolicyThread, type ThreadBounds } from '../src/policies/policy-thread.ts';
import type { RequestName } from '../src/policies/thread-requests.ts';
import { erasePeople } from '../src/privacy/erase-people.ts';
import { routes } from '../src/routes.ts';
import { ActivePolicies } from '../src/store/active-policies.ts';
import type { SubmissionRow } from '../src/store/load-submissions.sql.ts';
import type { SubmissionCounts } from '../src/store/submission-counts.ts';
import { mintApplications } from '../src/underwrite/mint-applications.ts';
import { preUnderwriteApplications } from '../src/underwrite/pre-underwrite-applications.ts';
import { workQueue } from '../src/work/index.ts';
import { releasePolicies } from './release-policies.ts';
import { type EnquiryInit, sampleEnquiry } from './sample-enquiry.ts';

type TermsInit = MessageInitShape<typeof TermsSchema>;

/** The operations of the service on a separate test database, called without a network. */
export interface TestService {
  readonly context: Context;
  /** Serves the RPCs with a different context. */
  routes(context?: Partial<Context>): ReturnType<typeof routes>;
  /** The RPCs, called by staff. */
  readonly staff: Client<typeof SubmissionService>;
  /** The RPCs, called by a member of staff with that name. */
  staffNamed(subject: string): Client<typeof SubmissionService>;
  /** The privacy RPCs, called by staff. */
  readonly privacy: Client<typeof PrivacyService>;
  /** Carries out due erasures until none is left. */
  erase(): Promise<void>;
  /** The policy RPCs, called by a member of staff. */
  policies(subject?: string): Client<typeof PolicyService>;
  /** The approval RPCs, called by an administrator with that name. */
  approvals(subject: string): Client<typeof ApprovalService>;
  /** The RPCs, called by another service. */
  as(service: 'gateway' | 'webhook' | 'journey' | 'document' | 'billing'): Client<typeof SubmissionService>;
  /** The RPCs, called by the gateway on behalf of a supplier. */
  onBehalfOf(supplier: SubmitOptions): Client<typeof SubmissionService>;
  /** Sets the clock of the service, and that of receipts, by default to the same time. */
  at(time: string, ofReceipts?: string): void;
  /** Adds to the time that creates appear to have waited. */
  elapse(ms: number): void;
  /** Calls CreateSubmission as a supplier. */
  submit(
    options?: SubmitOptions,
  ): Promise<{ id: SubmissionId; created: boolean; submission: SubmissionStatus; arrivalScreenUrl?: string }>;
  /**
   * Does the same while the policies fail: the submission is recorded, and left to the workers. Throws if it is decided
   * anyway.
   */
  submitUndecided(options?: SubmitOptions): Promise<{ id: SubmissionId; submission: SubmissionStatus }>;
  statusOf(id: SubmissionId): Promise<number>;
  /** Decides a submission, after the customer's earlier ones. */
  decide(id: SubmissionId): Promise<void>;
  /** Runs the workers, or only one of them, set by set until no work is left. */
  work(only?: typeof decideReceived): Promise<void>;
  /** Returns the types of the events of a submission, oldest first. */
  eventsOf(id: SubmissionId): Promise<string[]>;
  close(): Promise<void>;
}

export interface SubmitOptions {
  accountId?: AccountId;
  environment?: Environment.SANDBOX | Environment.PRODUCTION;
  externalReference?: string;
  level?: Level.BASIC | Level.APPLICATION;
  enquiry?: EnquiryInit;
  terms?: TermsInit;
  body?: Uint8Array;
}

const TERMS = { billingModel: 1, decisionMode: 1, applicationMinting: 1, preUnderwritingFailure: 1 } as const;

const FAILING_POLICIES = new Proxy(new ActivePolicies(releasePolicies()), {
  get(target, name) {
    if (name === 'decision') throw new Error('the policy fails');
    return Reflect.get(target, name, target);
  },
});

/**
 * Starts the service for a test. `beside`: another replica on the database of that service; `keyRing`, `counts`: used
 * instead of new ones; `pool`: an existing pool, whose database has the schema.
 */
export async function openTestService(
  options: {
    beside?: TestService;
    pool?: pg.Pool;
    keyRing?: KeyRing;
    counts?: SubmissionCounts;
    others?: Partial<Pick<Context, 'documents' | 'webhooks' | 'watchBounds'>>;
    policyChecks?: PolicyChecks;
    fourEyes?: SubmissionConfig['fourEyes'];
    /** `real`: the machine's clock, and the database's for the time of receipt. */
    clock?: 'real';
    /** Wraps the pool of the service. */
    through?: (pool: pg.Pool) => pg.Pool;
    ignoredMatchValues?: SubmissionConfig['ignoredMatchValues'];
  } = {},
): Promise<TestService> {
  const given = options.pool ?? options.beside?.context.pool;
  const database = given
    ? { pool: given, close: async () => {} }
    : await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  const process = startTestProcess('submission');
  let now = new Date('2026-11-20T10:00:00Z');
  let receiptNow = now;
  const clock = { now: () => new Date(now) };
  let elapsedMs = 0;
  const config = {
    documentUrl: 'http://127.0.0.1:9',
    webhookUrl: 'http://127.0.0.1:9',
    retention: { acceptedDays: 2_190, notAcceptedDays: 365 },
    serviceTokenDir: '/nonexistent',
    tls: {},
    duplicateWindowDays: 90,
    returnWindowDays: 30,
    pagesUrls: { sandbox: 'https://sandbox.pages.test', production: 'https://pages.test' },
    arrivalLinkHours: 24,
    handoffLinkHours: 72,
    fourEyes: options.fourEyes ?? 'off',
    ignoredMatchValues: options.ignoredMatchValues ?? [],
  } as SubmissionConfig;
  const context = createContext(config, process, {
    pool: options.through?.(database.pool) ?? database.pool,
    keyRing: options.keyRing ?? options.beside?.context.keyRing ?? testKeyRing(),
    policies: new ActivePolicies(releasePolicies()),
    elapsedMs: () => elapsedMs,
    ...(options.counts ? { counts: options.counts } : {}),
    ...options.others,
    clock: options.clock === 'real' ? systemClock : clock,
    ...(options.clock === 'real' ? {} : { receiptClock: { now: () => new Date(receiptNow) } }),
  });

  const policyChecks = options.policyChecks ?? openPolicyChecks(process);
  const handlers = routes(context, policyChecks);
  const withoutPolicies = routes({ ...context, policies: FAILING_POLICIES }, policyChecks);
  const clientOf = (actor: TestActor) => inProcessClient(SubmissionService, handlers, actor);
  const staffNamed = (subject: string) =>
    clientOf({ caller: { subject, issuer: 'test', roles: ['staff:operator'] } });
  const onBehalfOf = (supplier: SubmitOptions) => clientOf(supplierActor(supplier));

  const submit = (options: SubmitOptions = {}) => submitBy(onBehalfOf(options), options);
  const statusOf = async (id: SubmissionId) =>
    (await context.db.submission.findUniqueOrThrow({ where: { id } })).status;
  const submitUndecided = async (options: SubmitOptions = {}) => {
    const client = inProcessClient(SubmissionService, withoutPolicies, supplierActor(options));
    const submitted = await submitBy(client, options);
    if ((await statusOf(submitted.id)) !== Status.RECEIVED)
      throw new Error('the set-up has decided the submission');
    return submitted;
  };

  async function submitBy(client: Client<typeof SubmissionService>, options: SubmitOptions) {
    const reference = options.externalReference ?? newId();
    const response = await client.createSubmission({
      externalReference: reference,
      level: options.level ?? Level.APPLICATION,
      enquiry: sampleEnquiry(options.enquiry),
      bodyFingerprint: options.body ?? randomBytes(32),
    });
    const submission = response.submission as SubmissionStatus;
    const { created = false, arrivalScreenUrl } = response;
    const id = submission.submissionId as SubmissionId;
    return { id, created, submission, ...(arrivalScreenUrl ? { arrivalScreenUrl } : {}) };
  }

  return {
    context,
    routes: (changed = {}) => routes({ ...context, ...changed }, policyChecks),
    staff: staffNamed('jo'),
    staffNamed,
    privacy: inProcessClient(PrivacyService, handlers, {
      caller: { subject: 'pat', issuer: 'test', roles: ['staff:privacy'] },
    }),
    async erase() {
      while ((await erasePeople.run(context)).more);
    },
    policies: (subject = 'ada') =>
      inProcessClient(PolicyService, handlers, {
        caller: { subject, issuer: 'test', roles: ['staff:admin'] },
      }),
    approvals: (subject) =>
      inProcessClient(ApprovalService, handlers, {
        caller: { subject, issuer: 'test', roles: ['staff:admin'] },
      }),
    as: (service) => clientOf(serviceActor(service)),
    onBehalfOf,
    submit,
    submitUndecided,
    at: (time, ofReceipts = time) => {
      now = new Date(time);
      receiptNow = new Date(ofReceipts);
    },
    elapse: (ms) => {
      elapsedMs += ms;
    },
    statusOf,
    decide: (id) => decideInTurn(context, id),
    work: (only) => workOff(context, only),
    async eventsOf(id) {
      const rows = await context.db.domainEvent.findMany({
        where: { aggregateId: id },
        orderBy: { eventId: 'asc' },
      });
      return rows.map(({ type }) => type.replace('supplier.submission.v1.', ''));
    },
    async close() {
      await context.db.$disconnect();
      await process.stop();
      await database.close();
    },
  };
}

async function workOff(context: Context, only?: typeof decideReceived): Promise<void> {
  const kinds = only ? [only] : [decideReceived, mintApplications, preUnderwriteApplications];
  for (const kind of kinds) {
    const work = kind(context);
    const queue = workQueue(work.source.table);
    const pending = { ...work.source, name: work.name };
    for (let found = 1; found > 0; ) {
      const { rows, result } = await inTransaction(context.workPool, async (tx) => {
        const rows = await queue.claim<SubmissionRow>(tx, pending, 64);
        return { rows: rows.length, result: rows.length > 0 ? await work.run(tx, rows) : {} };
      });
      result.afterCommit?.();
      found = rows;
    }
  }
}

function serviceActor(name: string): TestActor {
  return { caller: { subject: name, issuer: 'test', roles: [`service:${name}`] } };
}

function supplierActor(options: SubmitOptions): TestActor {
  return {
    ...serviceActor('gateway'),
    principal: {
      accountId: options.accountId ?? newId<AccountId>(),
      credentialId: newId<CredentialId>(),
      environment: options.environment ?? Environment.PRODUCTION,
      scopes: [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION, Scope.READ, Scope.CORRECT, Scope.PROMOTE],
      terms: create(TermsSchema, { ...TERMS, ...options.terms }),
    },
  };
}

export function testKeyRing(): KeyRing {
  const key = () => randomBytes(32).toString('base64');
  return KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key() }, digestKey: key() }));
}

/** Creates a policy thread that runs other code. */
export function threadOf(code: string, bounds: Partial<ThreadBounds> = {}): PolicyThread {
  const text = `import { parentPort } from 'node:worker_threads';\n${code}`;
  const program = new URL(`data:text/javascript,${encodeURIComponent(text)}`);
  return new PolicyThread({ program, bounds });
}

/** Creates a policy thread that reports every policy as valid, and never answers the named request. */
export const hangingThread = (name: RequestName): PolicyThread =>
  threadOf(`
    parentPort.on('message', ({ name }) => {
      if (name === '${name}') for (;;) {}
      parentPort.postMessage({ answer: { policy: { version: 'tried', rules: [] } } });
    });
    parentPort.postMessage('listening');`);

/** Wraps a pool: `see` receives each statement before it is sent, and fails it by throwing. */
export const seeingStatements =
  (see: (statement: pg.QueryConfig) => void) =>
  (pool: pg.Pool): pg.Pool =>
    new Proxy(pool, {
      get(target, name) {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'query') return value.bind(target);
        return async (...given: [pg.QueryConfig]) => {
          see(given[0]);
          return Reflect.apply(value, target, given);
        };
      },
    });
