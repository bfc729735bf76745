import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import { ListAccountsResponseSchema } from '@supplier/proto/account/v1/account';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import { enterFilter, enterSearch, search, submissionLink } from '../harness/console-parts.ts';
import { enquiry, newTelephone } from '../harness/enquiries.ts';
import { submissionOf } from '../harness/responses.ts';
import { rpcClient, staff } from '../harness/rpc.ts';
import { created, type SupplierApi } from '../harness/suppliers.ts';
import { NotYet, waitFor } from '../harness/wait.ts';

const createdBy = async (api: SupplierApi, requestId: string) =>
  submissionOf(await api.create(enquiry(), { headers: { 'x-request-id': requestId } }), 202);
const shows = (page: Page, submissionId: string) =>
  page.waitForURL(new RegExp(`/submissions/${submissionId}\\?`));

describeInBrowser('finding in the console', () => {
  it('finds what a supplier’s X-Request-Id created, but always prefers a submission’s own id', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const [once, twice] = [randomUUID(), randomUUID()];
    const one = await createdBy(api, once);
    const several = [await createdBy(api, twice), await createdBy(api, twice)];
    // Another supplier's request id equals the id of a submission.
    await createdBy(api, one.submission_id);
    const { page, complaints } = await openConsole({ name: 'vic', role: 'staff:viewer' });
    await search(page, once.toUpperCase());
    await shows(page, one.submission_id);
    await search(page, twice);
    await page.waitForURL((url) => url.searchParams.get('request') === twice && url.searchParams.has('both'));
    for (const { submission_id } of several) await submissionLink(page, submission_id).waitFor();
    await search(page, one.submission_id);
    await shows(page, one.submission_id);
    await search(page, randomUUID());
    await page.getByRole('alert').getByText('no request with that ID created one').waitFor();
    expect(await page.getByRole('main').getByRole('link').count()).toBe(0);
    await search(page, 'a supplier’s own words');
    await page.getByText('No reference or Application matches').waitFor();
    expect(complaints).toEqual([]);
  });

  it('finds references of all suppliers, in both environments, as they are typed and when they are opened', async () => {
    const reference = `find-${randomUUID()}`;
    const sandbox = await created(await newSupplier(), enquiry({ external_reference: reference }));
    const production = await created(
      await newSupplier({}, 'production'),
      enquiry({ external_reference: `${reference}-2` }),
    );
    const { page, complaints } = await openConsole({ name: 'vic', role: 'staff:viewer' });
    await enterSearch(page, reference.slice(0, -1));
    await page.getByRole('button', { name: new RegExp(`^${reference} .*Sandbox`) }).waitFor();
    await page.getByRole('button', { name: new RegExp(`^${reference}-2 .*Production`) }).click();
    await shows(page, production.submission_id);
    await search(page, reference);
    await page.waitForURL((url) => url.searchParams.get('reference') === reference);
    for (const { submission_id } of [sandbox, production])
      await submissionLink(page, submission_id).waitFor();
    await search(page, `${reference}-`);
    await shows(page, production.submission_id);
    expect(complaints).toEqual([]);
  });

  it('keeps each letter that is typed before the search has loaded', async () => {
    const { page } = await openConsole({ name: 'vic', role: 'staff:viewer' });
    const loading = Promise.withResolvers<void>();
    await page.route('**/assets/palette-*.js', async (route) => {
      await loading.promise;
      await route.continue();
    });
    await page.keyboard.type('/jkab');
    loading.resolve();
    const field = page.getByRole('textbox', { name: 'Search' });
    await field.waitFor();
    expect(await field.inputValue()).toBe('jkab');
    await field.press('c');
    expect(await field.inputValue()).toBe('jkabc');
    await page.keyboard.press('Escape');
    await field.waitFor({ state: 'detached' });
    await page.keyboard.type('/abc');
    await page.getByText('Search for “abc”').waitFor();
  });

  it('finds submissions that await staff for lack of a usable contact, by their queue, and says why', async () => {
    const api = await newSupplier({}, 'production');
    const { submission_id } = await created(
      api,
      enquiry({ company_number: 'N/A', telephone: 'n/a', email: 'n/a' }),
    );
    const { page, complaints } = await openConsole({
      name: 'vic',
      role: 'staff:viewer',
      path: `/submissions?queue=6&environment=2&account=${api.accountId}`,
    });
    await submissionLink(page, submission_id).click();
    await page.getByText('awaiting decision by staff: no contact that can be compared').waitFor();
    expect(complaints).toEqual([]);
  });

  it('loads more of a list on request, even if its filter leaves many pages empty', async () => {
    // A screen that names no suppliers, so that only the list asks for them.
    const { page } = await openConsole({ name: 'vic', role: 'staff:viewer', path: '/policies' });
    const LAST = 102;
    let asked = 0;
    // The result of a filter over a million rows.
    await page.route('**/ListAccounts', (route) => {
      asked += 1;
      const name = { 1: 'found first', [LAST]: 'found last' }[asked];
      const answer = create(ListAccountsResponseSchema, {
        accounts: name ? [{ accountId: randomUUID(), name }] : [],
        nextPageToken: asked < LAST ? 'more' : '',
      });
      return route.fulfill({
        contentType: 'application/proto',
        body: Buffer.from(toBinary(ListAccountsResponseSchema, answer)),
      });
    });
    await page.getByRole('link', { name: 'Suppliers', exact: true }).click();
    await page.getByRole('link', { name: 'found first' }).waitFor();
    const further = page.getByRole('button', { name: 'Load more' });
    const hasAsked = (times: number) =>
      waitFor(`${times} pages`, async () => {
        if (asked < times) throw new NotYet(`${asked} pages`);
        expect(asked).toBe(times);
      });
    await hasAsked(LAST - 2);
    await further.click();
    await hasAsked(LAST - 1);
    await further.click();
    await page.getByRole('link', { name: 'found last' }).waitFor();
    await further.waitFor({ state: 'detached' });
  });

  it('requests nothing that the role may not read, and finds by submission id only', async () => {
    const { submission_id } = await created(await newSupplier(), enquiry());
    const { page } = await openConsole({ name: 'bill', role: 'staff:billing' });
    const refused: string[] = [];
    page.on('response', (response) => {
      if (response.status() === 403 && response.url().includes('ListSubmissions'))
        refused.push(response.url());
    });
    const unknown = randomUUID();
    await search(page, unknown);
    await page.getByText(`No submission has the ID ${unknown}.`).waitFor();
    await page.goto(`${await consoleUrl()}/find?what=APP-1`);
    await page.getByText('Your role can search by submission ID only.').waitFor();
    await search(page, submission_id);
    await shows(page, submission_id);
    expect(refused).toEqual([]);
  });

  it('leads an administrator from a request to all its actions, in the audit log', async () => {
    const api = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const { submission_id: target, external_reference: hasText } = await created(api, enquiry());
    await staff
      .submission()
      .decideSubmission({ submissionId: target, decision: Status.REJECTED, reason: 'no trading record' });
    const { entries } = await rpcClient('submission', AuditService).listAudit({ target });
    const requestId = entries[0]?.requestId ?? '';
    const { page, complaints } = await openConsole({
      name: 'ada',
      role: 'staff:admin',
      path: `/submissions/${target}`,
    });
    await page.getByRole('link', { name: requestId }).click();
    await page.getByRole('main').getByRole('link', { name: 'View in audit log' }).click();
    await page.waitForURL((url) => url.searchParams.get('request') === requestId);
    const rows = page.getByRole('table', { name: 'Audit log' }).getByRole('row').filter({ hasText });
    await rows.getByText('Decided a submission').waitFor();
    expect(await rows.count()).toBe(1);
    await enterFilter(page, 'Request ID', randomUUID());
    await page.getByText('No entries match.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('does not search for personal details, which would appear in the URL and the history', async () => {
    const { page } = await openConsole({ name: 'vic', role: 'staff:viewer' });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const before = page.url();
    for (const personal of ['ada@example.test', newTelephone(), '07700 900123']) {
      await enterSearch(page, personal);
      await page.getByRole('alert').getByText('open Data requests').waitFor();
      await page.keyboard.press('Enter');
      expect(page.url()).toBe(before);
      await page.keyboard.press('Escape');
      await page.getByRole('alert').waitFor({ state: 'detached' });
    }
    expect(asked.filter((url) => !url.includes('/assets/') && /find|ada|7700/.test(url))).toEqual([]);
  });
});
