import { request } from 'undici';
import { enquiry } from '../harness/enquiries.ts';
import { everythingEndedOnce } from '../harness/invariants.ts';
import { everyRing, rotateAll, steps } from '../harness/key-rings.ts';
import { moreTaken, type Story, startLoad } from '../harness/load.ts';
import { everythingReady } from '../harness/processes.ts';
import { refusalOf, submissionOf } from '../harness/responses.ts';
import { staff } from '../harness/rpc.ts';
import { created, decided, supplier } from '../harness/suppliers.ts';
import { finalize, put, requestSubmissionUpload } from '../harness/uploads.ts';

const alpha = supplier('alpha', 'production');
const journey = supplier('journey');
const RECOVERY_MS = 180_000;
// Twelve sequential restarts.
const ROTATION_MS = 280_000;

beforeEach(everythingReady);

/** Asserts that a create is still recognised as a replay, and only with the same body. */
async function isReplayed({ body, submission }: Pick<Story, 'body' | 'submission'>): Promise<void> {
  const again = submissionOf(await alpha.create(body), 200);
  expect(again.submission_id).toBe(submission.submission_id);
  const other = await alpha.create({ ...body, funding_amount: Number(body.funding_amount) + 1 });
  expect(refusalOf(other, 409).code).toBe('external_reference_conflict');
}

/** Asserts that another enquiry of the same customer is still recognised as a duplicate. */
async function isDuplicate({ body }: Pick<Story, 'body'>): Promise<void> {
  const { telephone, company_number } = body;
  const later = await decided(alpha, enquiry({ telephone, company_number }));
  expect(later.status).toBe('duplicate_not_accepted');
}

describe('all keys replaced during continuous creates', () => {
  const stories: Story[] = [];

  it(
    'nothing is refused, and all earlier data is read, found and compared with only the new keys',
    async () => {
      const linked = enquiry();
      const { arrival_screen_url } = await created(journey, linked);
      const document = await requestSubmissionUpload(alpha, { filename: 'accounts of before.pdf' });
      // One sender, because the load must finish, and twelve restarts take a while.
      const load = startLoad(alpha, 1);
      await moreTaken(load, 20);

      await everyRing(steps.add);
      await moreTaken(load, 20);
      await everyRing(steps.switch);
      await moreTaken(load, 20);
      // The URL was signed under the old key.
      expect((await put(document)).status).toBe(200);
      expect((await finalize(alpha, document)).status).toBe(200);

      const before = await rotateAll('--status');
      expect(Object.values(before).map(({ code }) => code)).toEqual([1, 1, 1]);
      const rotated = await rotateAll();
      for (const { code, failed, keys } of Object.values(rotated)) {
        expect({ code, failed }).toEqual({ code: 0, failed: 0 });
        expect(keys.filter(({ primary, values }) => !primary && values > 0)).toEqual([]);
      }
      await moreTaken(load, 20);
      await everyRing(steps.remove);
      await moreTaken(load, 20);
      stories.push(...(await load.stop()));

      for (const story of [...stories.slice(0, 10), ...stories.slice(-10)]) await isReplayed(story);
      for (const story of [stories[0], stories[30], stories[50]]) if (story) await isDuplicate(story);
      const again = submissionOf(await journey.create(linked), 200);
      expect(again.arrival_screen_url).toBe(arrival_screen_url);
      const page = await request(String(arrival_screen_url));
      await page.body.dump();
      expect(page.statusCode).toBe(200);
      const { submissionId, documentId } = document;
      const { documents } = await staff.document().listDocuments({ purpose: 'read by a test', submissionId });
      expect(documents).toMatchObject([{ documentId, filename: 'accounts of before.pdf' }]);
      const statuses = new Set(stories.flatMap((story) => story.statuses));
      expect([...statuses].filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
    },
    ROTATION_MS,
  );

  it(
    'nothing is lost or done twice, and every webhook is signed with the secret of its endpoint',
    async () => {
      await everythingEndedOnce(alpha, stories, RECOVERY_MS);
    },
    RECOVERY_MS * 1.5,
  );
});
