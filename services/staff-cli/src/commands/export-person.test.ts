import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { PersonMatch, PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type FakeServices, startFakeServices } from '../../testing/fake-services.ts';

const { EMAIL, TELEPHONE } = PersonMatch;
const idOf = (n: number) => `01998c1e-7d5c-7000-8000-00000000000${n}`;
/** The stored submissions, and the search terms that each matches. */
const STORED = [
  { submissionId: idOf(1), lastName: 'Lovelace', matched: [EMAIL, TELEPHONE] },
  { submissionId: idOf(2), lastName: 'Byron', matched: [TELEPHONE] },
  { submissionId: idOf(3), lastName: ' lovelace', matched: [EMAIL, TELEPHONE] },
];

const BYRON = { contact: { firstName: 'Ada', lastName: 'Byron' } };
const PROMOTED = { snapshot: { firstName: 'Ada', lastName: 'Byron' } };

const folder = mkdtempSync(join(tmpdir(), 'export-'));
let shell: FakeServices;
let stored = STORED;
let documents: object[] = [];
/** Data of each submission besides its enquiry. */
let further: object = {};
beforeAll(async () => {
  shell = await startFakeServices((router) => {
    router.service(PrivacyService, {
      findPerson: ({ email, telephone }) => ({
        submissions: stored.flatMap(({ submissionId, matched }) => {
          const those = matched.filter((by) => (by === EMAIL ? email : telephone) !== undefined);
          return those.length > 0 ? [{ submissionId, matched: those }] : [];
        }),
      }),
      exportSubmission: ({ submissionId }) => ({
        ...further,
        submissionId,
        enquiry: {
          firstName: 'Ada',
          lastName: stored.find((one) => one.submissionId === submissionId)?.lastName ?? '',
        },
      }),
    });
    router.service(DocumentService, {
      listDocuments: () => ({ documents }),
      downloadDocument: () => ({ url: 'data:application/pdf,%25PDF' }),
    });
    router.service(WebhookService, { listEvents: () => ({}) });
  });
});
beforeEach(() => {
  stored = STORED;
  documents = [{ documentId: idOf(9), deletedAt: { seconds: 1n } }];
  further = {};
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await shell.close();
});

let runs = 0;
async function exported(...words: string[]) {
  runs += 1;
  const out = join(folder, `out-${runs}`);
  const ended = await shell.run('people', 'export', ...words, '--purpose', 'request 17', '--out', out);
  const content = ended.code === 0 ? JSON.parse(readFileSync(join(out, 'export.json'), 'utf8')) : undefined;
  const page = ended.code === 0 ? readFileSync(join(out, 'export.html'), 'utf8') : '';
  const ids = content?.submissions.map(
    ({ submission }: { submission: { submissionId: string } }) => submission.submissionId,
  );
  return { ...ended, out, content, page, ids };
}
const BOTH = ['--email', 'ada@example.test', '--telephone', '07700 900123'];

describe('people export', () => {
  it('exports submissions that match both email and telephone, and none that match only one', async () => {
    const { ids, content, stderr } = await exported(...BOTH);
    expect(ids).toEqual([idOf(1), idOf(3)]);
    expect(content).toMatchObject({
      selectedBy: 'both email and telephone',
      namesDiffer: [],
      missing: [],
      submissions: [{ matched: ['email', 'telephone'] }, { matched: ['email', 'telephone'] }],
    });
    expect(stderr).toContain('1 submission has only one of them');
    expect(stderr).not.toContain('names differ');
  });

  it('exports exactly the submissions that are named, and makes no search', async () => {
    shell.received.splice(0);
    const { ids, content } = await exported(idOf(3), idOf(1));
    expect(ids).toEqual([idOf(3), idOf(1)]);
    expect(content).toMatchObject({
      selectedBy: 'submission ids',
      submissions: [{ matched: [] }, { matched: [] }],
    });
    expect(shell.received.map(({ rpc }) => rpc)).not.toContain('FindPerson');
  });

  it('exports and reads nothing when several submissions match a single detail, and lists them', async () => {
    shell.received.splice(0);
    const { code, stderr } = await exported('--telephone', '07700 900123');
    expect(code).toBe(4);
    for (const { submissionId } of STORED) expect(stderr).toContain(submissionId);
    expect(shell.received.map(({ rpc }) => rpc)).toEqual(['FindPerson']);
  });

  it('exports the only submission that matches a single detail', async () => {
    stored = STORED.slice(1, 2);
    expect(await exported('--telephone', '07700 900123')).toMatchObject({ code: 0, ids: [idOf(2)] });
  });

  describe.each<[string, string[], string[][], object]>([
    ['several submissions', [idOf(2), idOf(3)], [[idOf(2)], [idOf(3)]], {}],
    ['an enquiry and a correction', [idOf(1)], [[idOf(1)], [idOf(1)]], { contactCorrections: [BYRON] }],
    ['an enquiry and its correction', [idOf(1)], [[idOf(1)], [idOf(1)]], { workingContact: BYRON.contact }],
    ['an enquiry and a promotion', [idOf(1)], [[idOf(1)], [idOf(1)]], { application: PROMOTED }],
  ])('people export when names differ between %s', (_, words, groups, more) => {
    beforeEach(() => {
      further = more;
    });

    it('writes nothing without confirmation', async () => {
      const { code, stderr } = await exported(...words);
      expect(code).toBe(7);
      expect(stderr).toContain('warning: the names in these submissions differ');
      for (const id of groups.flat()) expect(stderr).toContain(id);
    });

    it('lists the differing names in the export after confirmation', async () => {
      const { content, page } = await exported(...words, '--yes');
      expect(content.namesDiffer).toEqual(groups);
      expect(page).toContain('names differ');
    });
  });

  it('saves a complete file, and lists a file of another size than its document as missing', async () => {
    documents = [
      { documentId: idOf(5), contentType: 'application/pdf', byteSize: 4n },
      { documentId: idOf(6), contentType: 'application/pdf', byteSize: 5n },
    ];
    const { code, stderr, out } = await exported(idOf(1));
    expect({ code, stderr }).toEqual({
      code: 6,
      stderr: expect.stringContaining(`document ${idOf(6)}: the file could not be downloaded`),
    });
    expect(readdirSync(join(out, 'documents'))).toEqual([`${idOf(5)}.pdf`]);
  });

  it('writes nothing when no submission matches both, and reports how many match one', async () => {
    stored = STORED.map((one) => ({ ...one, matched: [TELEPHONE] }));
    const { code, stderr } = await exported(...BOTH);
    expect(code).toBe(3);
    expect(stderr).toContain('3 submissions have only one of them');
  });

  it.each([
    [
      'ids together with an email',
      [idOf(1), '--email', 'a@example.test'],
      'either submission ids, or email and telephone',
    ],
    ['an invalid id', ['1'], 'must be a UUID'],
    ['more than 100 ids', Array.from({ length: 101 }, () => idOf(1)), 'at most 100'],
  ])('refuses %s', async (_, words, message) => {
    expect(await exported(...words)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});
