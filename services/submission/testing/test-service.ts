import { randomBytes } from 'node:crypto';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { KeyRing } from '@supplier/lib/data/crypto';
import { inTransaction } from '@supplier/lib/data/postgres';
import { workQueue } from '@supplier/lib/data/work';
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
import { decideInTurn } from '../src/decide/decide-leads.ts';
import { decideReceived } from '../src/decide/decide-received.ts';
import type { LeadCounts } from '../src/figures/lead-counts.ts';
import { PoliciesInForce } from '../src/policies/in-force.ts';
import { erasePeople } from '../src/privacy/erase-people.ts';
import { releasePolicies } from '../src/release-policies.ts';
import { routes } from '../src/routes.ts';
import type { LeadRow } from '../src/store/load-leads.sql.ts';
import { mintApplications } from '../src/underwrite/mint-applications.ts';
import { preUnderwriteApplications } from '../src/underwrite/pre-underwrite-applications.ts';
import { type EnquiryInit, sampleEnquiry } from './sample-enquiry.ts';

type TermsInit = MessageInitShape<typeof TermsSchema>;

/** The operations of the service on a database of a test's own, called without a network. */
export interface TestService {
  readonly context: Context;
  /** The RPCs, as staff call them. */
  readonly staff: Client<typeof SubmissionService>;
  /** The RPCs, as a member of staff of that name calls them. */
  staffNamed(subject: string): Client<typeof SubmissionService>;
  /** What staff do for applicants. */
  readonly privacy: Client<typeof PrivacyService>;
  /** Carries out the erasures that are due, until none is. */
  erase(): Promise<void>;
  /** The RPCs about policies, as a member of staff calls them. */
  policies(subject?: string): Client<typeof PolicyService>;
  /** The RPCs about approvals, as an administrator of that name calls them. */
  approvals(subject: string): Client<typeof ApprovalService>;
  /** The RPCs, as another service calls them. */
  as(service: 'gateway' | 'webhook' | 'journey' | 'document' | 'billing'): Client<typeof SubmissionService>;
  /** The RPCs, as the gateway calls them on behalf of a supplier. */
  onBehalfOf(supplier: SubmitOptions): Client<typeof SubmissionService>;
  /** Sets the clock. */
  at(time: string): void;
  /** Lets creates have waited so much longer. Otherwise they wait for as long as the machine needs. */
  elapse(ms: number): void;
  /** A supplier's call to CreateSubmission. */
  submit(
    options?: SubmitOptions,
  ): Promise<{ id: SubmissionId; created: boolean; submission: SubmissionStatus; arrivalScreenUrl?: string }>;
  /** The same while the policies fail: it is recorded, and left to the workers. Fails if it is decided all the same. */
  submitUndecided(options?: SubmitOptions): Promise<{ id: SubmissionId; submission: SubmissionStatus }>;
  statusOf(id: SubmissionId): Promise<number>;
  /** Decides a submission, after the earlier ones of its customer. */
  decide(id: SubmissionId): Promise<void>;
  /** Does what the workers find to do, set by set, until they find nothing; or one of them alone. */
  work(only?: typeof decideReceived): Promise<void>;
  /** Types of the events emitted about a submission, oldest first. */
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

const FAILING_POLICIES = new Proxy(new PoliciesInForce(releasePolicies()), {
  get(target, name) {
    if (name === 'decision') throw new Error('the policy fails');
    return Reflect.get(target, name, target);
  },
});

/** With `beside`, another replica on the database of that service; with `keyRing`, under that one; with `counts`, counted by those; with `pool`, on that one, whose database has the schema. */
export async function openTestService(
  options: {
    beside?: TestService;
    pool?: pg.Pool;
    keyRing?: KeyRing;
    counts?: LeadCounts;
    others?: Partial<Pick<Context, 'documents' | 'webhooks' | 'policyChecks' | 'watchBounds'>>;
    fourEyes?: SubmissionConfig['fourEyes'];
    /** `real`: the machine's, and the database's for the time of receipt. */
    clock?: 'real';
    /** What stands before the database. */
    through?: (pool: pg.Pool) => pg.Pool;
    nobodysValues?: SubmissionConfig['nobodysValues'];
  } = {},
): Promise<TestService> {
  const given = options.pool ?? options.beside?.context.pool;
  const database = given
    ? { pool: given, close: async () => {} }
    : await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  const process = startTestProcess('submission');
  let now = new Date('2026-11-20T10:00:00Z');
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
    nobodysValues: options.nobodysValues ?? [],
  } as SubmissionConfig;
  const context = createContext(config, process, {
    pool: options.through?.(database.pool) ?? database.pool,
    keyRing: options.keyRing ?? testKeyRing(),
    policies: new PoliciesInForce(releasePolicies()),
    elapsedMs: () => elapsedMs,
    ...(options.counts ? { counts: options.counts } : {}),
    ...options.others,
    clock: options.clock === 'real' ? systemClock : clock,
    ...(options.clock === 'real' ? {} : { receiptClock: clock }),
  });

  const handlers = routes(context);
  const withoutPolicies = routes({ ...context, policies: FAILING_POLICIES });
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
      throw new Error('the set-up has decided the lead');
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
    at: (time) => {
      now = new Date(time);
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
    const queue = workQueue<LeadRow>(work.name, work.source);
    for (let found = 1; found > 0; ) {
      const { rows, result } = await inTransaction(context.workPool, async (tx) => {
        const rows = await queue.claim(tx, 64);
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
