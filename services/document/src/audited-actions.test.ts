import { actionsOfStaff, auditedBy, forAllTests } from '@supplier/lib/testing';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { openTestService, START } from '../testing/test-service.ts';

const PURPOSE = 'bank statements seen, case 24';
const PAT = { subject: 'pat', issuer: 'https://login.test', roles: ['staff:privacy'] };

const service = forAllTests(() => openTestService());

const rowOf = (id: string) => service.db.document.findUniqueOrThrow({ where: { id } });
const finalized = async () => (await service.finalized()).documentId;
async function clean() {
  const documentId = await finalized();
  const { heldKey: key, etag } = await rowOf(documentId);
  if (!key || !etag) throw new Error('finalized document without its object');
  await service.store.copy({ area: 'held', key, etag }, { area: 'clean', key });
  await service.db.document.update({
    where: { id: documentId },
    data: { scanStatus: 'clean', area: 'clean', scanDueAt: null, scannedAt: START },
  });
  return documentId;
}
async function unscanned() {
  const documentId = await finalized();
  await service.db.document.update({
    where: { id: documentId },
    data: { scanStatus: 'scan_failed', scanReason: 'encrypted', scanDueAt: null, scannedAt: START },
  });
  return documentId;
}
async function erase(documentId: string, requester?: typeof PAT) {
  const { accountId, externalReference, submissionId } = await rowOf(documentId);
  return service.staff('service:submission').eraseDocuments({
    ...{ accountId, environment: Environment.PRODUCTION, externalReference },
    ...{ submissionId: submissionId ?? '', purpose: PURPOSE, requester },
  });
}

interface Action {
  readonly of: () => Promise<string>;
  readonly act: (documentId: string) => Promise<unknown>;
  /** A subset of the audit entry. */
  readonly fields?: object;
}

const ACTIONS: Readonly<Record<string, Action>> = {
  DownloadDocument: {
    of: clean,
    act: (documentId) => service.staff().downloadDocument({ documentId, purpose: PURPOSE }),
    fields: { purpose: PURPOSE, target: expect.any(String), after: { documentId: expect.any(String) } },
  },
  ListDocuments: {
    of: finalized,
    act: async (id) =>
      service.staff().listDocuments({ submissionId: (await rowOf(id)).submissionId ?? '', purpose: PURPOSE }),
    fields: { purpose: PURPOSE, target: expect.any(String) },
  },
  RescanDocument: { of: unscanned, act: (documentId) => service.staff().rescanDocument({ documentId }) },
  DeleteDocument: { of: finalized, act: (documentId) => service.staff().deleteDocument({ documentId }) },
  EraseDocuments: {
    of: finalized,
    act: (id) => erase(id, PAT),
    fields: {
      ...{ actor: 'pat', issuer: PAT.issuer, roles: PAT.roles, purpose: PURPOSE },
      after: expect.objectContaining({ calledBy: 'submission' }),
    },
  },
  'EraseDocuments, for the service itself': {
    of: finalized,
    act: (id) => erase(id),
    fields: { actor: 'submission', roles: ['service:submission'], purpose: PURPOSE },
  },
};

it('every method with which staff change something is tested for its audit entry', () => {
  expect(Object.keys(ACTIONS)).toEqual(expect.arrayContaining(actionsOfStaff(DocumentService)));
});

it.each(Object.entries(ACTIONS))(
  'the audit entry of %s records the actor, the purpose and the request id',
  async (name, { of, act, fields }) => {
    const target = await of();
    const entries = await auditedBy(service, () => act(target));
    const [action] = name.split(',');
    const person = { actor: 'jo', issuer: 'https://issuer.test', roles: ['staff:admin'] };
    expect(entries).toMatchObject([{ ...person, action, target, ...fields }]);
  },
);
