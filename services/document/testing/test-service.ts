import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { KeyRing } from '@supplier/lib/data/crypto';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { callOptions } from '@supplier/lib/rpc/rpc-client';
import {
  createTestDatabase,
  emptyTables,
  forAllTests,
  type TestDatabase as Migrated,
  startTestProcess,
  startTestRpcServer,
} from '@supplier/lib/testing';
import { type AccountId, newId, type SubmissionId } from '@supplier/lib/text/ids';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentCategory, DocumentService } from '@supplier/proto/document/v1/document';
import { type SubmissionOwner, SubmissionOwnerSchema } from '@supplier/proto/submission/v1/list_owners';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { DocumentConfig } from '../src/config.ts';
import { type Context, createContext } from '../src/context.ts';
import { CONTENT_TYPES } from '../src/model/content-types.ts';
import type { DocumentLimits } from '../src/model/limits.ts';
import { localStore, setUpDirectories, writeObject } from '../src/object-store/local/local-store.ts';
import { signedLinks } from '../src/object-store/local/signed-links.ts';
import type { Area, ObjectStore } from '../src/object-store/object-store.ts';
import { routes } from '../src/routes.ts';
import { type Database, openDatabase } from '../src/store/database.ts';
import { acceptedFinder, heldFinder, ownersFinder, submissionFinder } from '../src/submission-client.ts';

/** A migrated database for one test file. */
export interface TestDatabase extends Migrated {
  readonly db: Database;
}

/** Creates a database with a random name on the server of TEST_POSTGRES_URL; `close` drops it. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ serviceDir: new URL('../', import.meta.url) });
  return { ...database, db: openDatabase(database.pool) };
}

export const START = new Date('2026-11-20T10:00:00.000Z');
export const LIMITS: DocumentLimits = {
  maxBytes: 26_214_400,
  contentTypes: CONTENT_TYPES,
  perReference: 20,
  accountBytes: 1_000_000_000,
  uploadMinutes: 15,
  unfinalizedHours: 24,
  retentionDays: 2_190,
  unacceptedDays: 365,
  refusedDays: 30,
};
const UPLOADS_URL = 'https://uploads.test';

type Documents = Client<typeof DocumentService>;

/** The service as a supplier calls it through the gateway. */
export interface TestSupplier {
  readonly accountId: AccountId;
  createUpload(request?: Parameters<Documents['createUpload']>[0]): ReturnType<Documents['createUpload']>;
  finalizeUpload(externalReference: string, documentId: string): ReturnType<Documents['finalizeUpload']>;
}

/** The whole service with its own database and local store, and a simulated submission service. */
export interface TestService extends TestDatabase {
  readonly context: Context;
  readonly clock: { advance(ms: number): void; set(to: Date): void; now(): Date };
  /** Advances the database's clock too, which decides when scans are due and leased. */
  pass(ms: number): Promise<void>;
  /** The store used by the service; a test may replace its methods. */
  readonly store: { -readonly [Method in keyof ObjectStore]: ObjectStore[Method] };
  supplier(environment?: Environment.SANDBOX | Environment.PRODUCTION): TestSupplier;
  staff(role?: string): Documents;
  /** Adds a submission with that reference to the submission service. */
  submit(supplier: TestSupplier, externalReference: string): SubmissionId;
  /**
   * Controls the submission service: whether it is unavailable, how often it was called, which submissions were never
   * accepted, which references are under legal hold, and a hook after it has reported holds.
   */
  readonly submissions: {
    unavailable: boolean;
    calls: number;
    unaccepted: Set<string>;
    held: Set<string>;
    afterHeld: () => void;
  };
  /** Stores an object of any size and type, as an upload would. */
  upload(documentId: string, file?: { bytes?: Uint8Array; contentType?: string }): Promise<void>;
  /** Reserves, uploads and finalizes a document of 1,024 bytes. */
  finalized(
    supplier?: TestSupplier,
  ): Promise<{ supplier: TestSupplier; reference: string; documentId: string }>;
  keysOf(area: Area): Promise<string[]>;
  /** Returns the short names of a document's events, oldest first. */
  eventsOf(documentId: string): Promise<string[]>;
  restoreStore(): void;
  /** Removes all rows, objects and submissions, and sets the clock back. */
  reset(): Promise<void>;
}

/** Opens the service once for all tests of a file, and resets it before each. */
export function serviceForTests(): TestService {
  const service = forAllTests(() => openTestService());
  beforeEach(() => service.reset());
  return service;
}

export async function openTestService(limits: Partial<DocumentLimits> = {}): Promise<TestService> {
  const database = await openTestDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'document-test-'));
  await setUpDirectories(folder);
  let at = START.getTime();
  const clock = {
    now: () => new Date(at),
    set: (to: Date) => {
      at = to.getTime();
    },
    advance: (ms: number) => {
      at += ms;
    },
  };
  const keyRing = testKeyRing();
  const whole = localStore(folder, signedLinks(UPLOADS_URL, keyRing, clock));
  const store = { ...whole };

  const known = new Map<string, SubmissionId>();
  const owners = new Map<string, SubmissionOwner>();
  const submissions = {
    unavailable: false,
    calls: 0,
    unaccepted: new Set<string>(),
    held: new Set<string>(),
    afterHeld: () => {},
  };
  const keyOf = (...parts: (string | number)[]) => JSON.stringify(parts);
  const submissionServer = await startTestRpcServer('submission', SubmissionService, (router) => {
    router.rpc(SubmissionService.method.findSubmission, (request) => {
      submissions.calls += 1;
      if (submissions.unavailable) throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Unavailable.');
      const submissionId = known.get(
        keyOf(request.accountId, request.environment, request.externalReference),
      );
      if (!submissionId) throw refuse(RefusalCode.NOT_FOUND, 'None.');
      return { submissionId };
    });
    router.rpc(SubmissionService.method.listAccepted, ({ submissionIds }) => {
      if (submissions.unavailable) throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Unavailable.');
      return { submissionIds: submissionIds.filter((id) => !submissions.unaccepted.has(id)) };
    });
    router.rpc(SubmissionService.method.listOwners, ({ submissionIds }) => {
      if (submissions.unavailable) throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Unavailable.');
      return { owners: submissionIds.flatMap((id) => owners.get(id) ?? []) };
    });
    router.rpc(SubmissionService.method.listHeld, ({ references }) => {
      if (submissions.unavailable) throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Unavailable.');
      const held = references.filter(({ externalReference }) => submissions.held.has(externalReference));
      submissions.afterHeld();
      return { references: held };
    });
  });
  const process = startTestProcess('document');
  // No other part of the configuration is read.
  const config = { limits: { ...LIMITS, ...limits } } as DocumentConfig;
  const context = await createContext(config, process, {
    pool: database.pool,
    db: database.db,
    clock,
    // Uses the test clock, so that slow operations on a busy machine do not count as late.
    elapsedMs: () => clock.now().getTime(),
    keyRing,
    store,
    findSubmission: submissionFinder(submissionServer.as('document', 'service:document')),
    findAccepted: acceptedFinder(submissionServer.as('document', 'service:document')),
    findHeld: heldFinder(submissionServer.as('document', 'service:document')),
    findOwners: ownersFinder(submissionServer.as('document', 'service:document')),
  });
  const server = await startTestRpcServer('document', DocumentService, routes(context), process);
  const gateway = server.as('gateway', 'service:gateway');
  const environments = new Map<TestSupplier, Environment>();

  const service: TestService = {
    ...database,
    context,
    clock,
    store,
    submissions,
    async pass(ms) {
      clock.advance(ms);
      await database.pool.query(
        `UPDATE document SET scan_due_at = scan_due_at - $1 * interval '1 millisecond',
                             scan_lease_until = scan_lease_until - $1 * interval '1 millisecond'`,
        [ms],
      );
    },
    supplier(environment = Environment.PRODUCTION) {
      const accountId = newId<AccountId>();
      const principal = {
        accountId,
        credentialId: newId(),
        environment,
        scopes: [Scope.CREATE_BASIC],
        terms: {},
      };
      const options = callOptions(principal);
      const supplier: TestSupplier = {
        accountId,
        createUpload: (request = {}) => gateway.createUpload({ ...uploadRequest(), ...request }, options),
        finalizeUpload: (externalReference, documentId) =>
          gateway.finalizeUpload({ externalReference, documentId }, options),
      };
      environments.set(supplier, environment);
      return supplier;
    },
    staff: (role = 'staff:admin') => server.as(role.startsWith('service:') ? role.slice(8) : 'jo', role),
    submit(supplier, externalReference) {
      const id = newId<SubmissionId>();
      const environment = environments.get(supplier) ?? Environment.UNSPECIFIED;
      known.set(keyOf(supplier.accountId, environment, externalReference), id);
      owners.set(
        id,
        create(SubmissionOwnerSchema, { submissionId: id, accountId: supplier.accountId, environment }),
      );
      return id;
    },
    async upload(documentId, { bytes = randomBytes(1_024), contentType = 'application/pdf' } = {}) {
      const { objectKey: key } = await database.db.document.findUniqueOrThrow({ where: { id: documentId } });
      const object = { area: 'incoming', key, contentType, byteSize: bytes.length } as const;
      await writeObject(folder, object, toStream(bytes));
    },
    async finalized(supplier = service.supplier()) {
      const reference = newId();
      service.submit(supplier, reference);
      const { documentId } = await supplier.createUpload({ externalReference: reference });
      await service.upload(documentId);
      await supplier.finalizeUpload(reference, documentId);
      return { supplier, reference, documentId };
    },
    async keysOf(area) {
      const keys: string[] = [];
      for await (const { key } of whole.list(area)) keys.push(key);
      return keys.sort();
    },
    async eventsOf(documentId) {
      const where = { aggregateId: documentId };
      const rows = await database.db.domainEvent.findMany({ where, orderBy: { eventId: 'asc' } });
      return rows.map(({ type }) => type.replace('supplier.document.v1.', ''));
    },
    restoreStore() {
      Object.assign(store, whole);
    },
    async reset() {
      await emptyTables(database.pool);
      rmSync(folder, { recursive: true });
      await setUpDirectories(folder);
      clock.set(START);
      for (const each of [known, owners, submissions.unaccepted, submissions.held]) each.clear();
      Object.assign(submissions, { unavailable: false, calls: 0, afterHeld: () => {} });
      service.restoreStore();
    },
    async close() {
      await server.close();
      await submissionServer.close();
      await database.db.$disconnect();
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return service;
}

function uploadRequest() {
  return {
    externalReference: newId<string>(),
    filename: 'statement.pdf',
    contentType: 'application/pdf',
    byteSize: 1_024n,
    category: DocumentCategory.BANK_STATEMENTS,
  };
}

async function* toStream(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

export function testKeyRing(): KeyRing {
  const key = () => randomBytes(32).toString('base64');
  return KeyRing.fromJson(JSON.stringify({ primary: 'k1', keys: { k1: key() }, digestKey: key() }));
}
