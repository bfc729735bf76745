import { Environment } from '@supplier/proto/common/v1/status';
import { serviceForTests } from '../../testing/test-service.ts';
import type { Document, Prisma } from '../store/generated/client.ts';
import { expireUnfinalized, retention, unacceptedRetention } from './retention.ts';

const DAY_MS = 86_400_000;

const service = serviceForTests();

const rowOf = (id: string) => service.db.document.findUniqueOrThrow({ where: { id } });

/** The columns that a scan leaves in a finalized document. */
const SCANS: Readonly<Record<string, (at: Date) => Prisma.DocumentUpdateInput>> = {
  'waiting for its scan': () => ({}),
  'being scanned': (at) => ({ scanDueAt: null, scanLeaseUntil: at, scanAttempt: 2, scanTries: 2 }),
  parked: (at) => ({ scanDueAt: null, scanParkedAt: at, scanAttempt: 5, scanTries: 5 }),
  clean: (at) => ({ scanDueAt: null, scanStatus: 'clean', area: 'clean', scannedAt: at }),
  infected: (at) => ({
    scanDueAt: null,
    scanStatus: 'infected',
    scanReason: 'malware',
    signature: 'Test.File',
    scannedAt: at,
  }),
};

async function sweep(run: typeof retention.run, days: number) {
  service.clock.advance(days * DAY_MS);
  expect((await run(service.context)).count).toBe(1);
}

/** Every way in which a document is deleted. */
const WAYS: Readonly<Record<string, (document: Document) => Promise<unknown>>> = {
  'a person': ({ id }) => service.staff().deleteDocument({ documentId: id }),
  erasure: ({ accountId, externalReference, submissionId }) =>
    service.staff('service:submission').eraseDocuments({
      accountId,
      environment: Environment.PRODUCTION,
      externalReference,
      submissionId: submissionId ?? '019aa1c2-0000-7000-8000-000000000000',
    }),
  'the sweep of unfinalized uploads': () => sweep(expireUnfinalized.run, 1),
  retention: () => sweep(retention.run, 2_190),
  'retention of unaccepted submissions': ({ submissionId }) => {
    service.submissions.unaccepted.add(submissionId ?? '');
    return sweep(unacceptedRetention.run, 365);
  },
  'retention after a legal hold': async ({ externalReference }) => {
    service.submissions.held.add(externalReference);
    service.clock.advance(2_190 * DAY_MS);
    expect((await retention.run(service.context)).count).toBe(0);
    service.submissions.held.clear();
    await sweep(retention.run, 1);
  },
};

const FINALIZED = Object.keys(WAYS).filter((way) => way !== 'the sweep of unfinalized uploads');
const AWAITING = ['a person', 'erasure', 'the sweep of unfinalized uploads'];
// All ways end in the same statement: each is tried once, and so is each state of a scan.
describe.each([
  ...AWAITING.map((way) => [way, 'awaiting its upload'] as const),
  ...FINALIZED.map((way) => [way, 'clean'] as const),
  ...Object.keys(SCANS).map((scan) => ['a person', scan] as const),
])('a deletion by %s of a document that is %s', (way, scan) => {
  it('clears the filename, the digest and the scan times, and leaves every other column', async () => {
    const id = await documentThatIs(scan);
    const before = await rowOf(id);
    await WAYS[way]?.(before);
    const after = await rowOf(id);
    expect(after).toEqual({
      ...before,
      state: 'deleted',
      filename: new Uint8Array(),
      etag: null,
      scanDueAt: null,
      scanLeaseUntil: null,
      scanParkedAt: null,
      deletedAt: service.clock.now(),
      heldBackUntil: way === 'retention after a legal hold' ? expect.any(Date) : null,
      version: before.version + 1n,
    });
  });
});

async function documentThatIs(scan: string): Promise<string> {
  const change = SCANS[scan];
  if (!change) return (await service.supplier().createUpload()).documentId;
  const { documentId } = await service.finalized();
  const data = change(service.clock.now());
  const { etag } = await service.db.document.update({ where: { id: documentId }, data });
  // The test proves nothing about a document without a digest.
  expect(etag).not.toBeNull();
  return documentId;
}
