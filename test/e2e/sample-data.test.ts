import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { staff } from '../harness/rpc.ts';
import { addSampleData, sampleAccounts } from '../harness/sample-data.ts';

const COUNT = 40;

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sample-data-'));
  file = join(folder, 'sample-data.json');
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Counts what each sample supplier has. */
const added = () =>
  Promise.all(
    Object.values(sampleAccounts(file)).map(async ({ accountId }) => {
      const { submissions } = await staff.submission().listSubmissions({ accountId, pageSize: 200 });
      return {
        accountId,
        submissions: submissions.length,
        documents: (await Promise.all(submissions.map(documentsOf))).flat().length,
        credentials: (await staff.account().listCredentials({ accountId })).credentials.length,
        endpoints: (await staff.webhook().listEndpoints({ accountId })).endpoints.length,
        prices: (await staff.billing().listPrices({ accountId })).prices.length,
        terms: (await staff.account().listScheduledTerms({ accountId })).scheduledTerms.length,
      };
    }),
  );

const documentsOf = async ({ submissionId }: { readonly submissionId: string }) =>
  (await staff.document().listDocuments({ submissionId, purpose: 'test of sample data', masked: true }))
    .documents;

it('sample data has submissions of six suppliers, and is added only once', async () => {
  await addSampleData(file, COUNT);
  const first = await added();
  expect(first).toHaveLength(6);
  expect(first.reduce((sum, { submissions }) => sum + submissions, 0)).toBe(COUNT);
  for (const { credentials, prices } of first)
    expect({ credentials, prices }).toEqual({ credentials: 2, prices: 1 });
  await addSampleData(file, COUNT);
  expect(await added()).toEqual(first);
});

it('sample data rejects a count that is not a whole number', async () => {
  await expect(addSampleData(file, Number.NaN)).rejects.toThrow('with a COUNT of at least 1');
});
