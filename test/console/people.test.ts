import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { barriers } from '../harness/accessibility.ts';
import { newSupplier } from '../harness/accounts.ts';
import { park, staffActs } from '../harness/audit.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import { act, dialog, filled, openAction, part, press, search } from '../harness/console-parts.ts';
import { formsOf } from '../harness/encoded-forms.ts';
import { delivery, enquiry, fullEnquiry, newTelephone, screening } from '../harness/enquiries.ts';
import { traces } from '../harness/page-traces.ts';
import { submissionOf } from '../harness/responses.ts';
import { pdf } from '../harness/scans.ts';
import { created, createdBasic, decided, type SupplierApi, settled } from '../harness/suppliers.ts';
import { documentOf, finalize, put, requestUpload } from '../harness/uploads.ts';

/** Returns a mark that appears in no other run and none of our texts. */
const newMark = () => Array.from(randomBytes(16), (byte) => 'bcdfghjkmnpqrstvwxz'[byte % 19]).join('');
const newPerson = (mark: string) => ({
  first_name: `Ada ${mark}`,
  last_name: `${mark} Lovelace`,
  email: `${mark}@example.com`,
  telephone: newTelephone(),
  business_name: `${mark} Engines Ltd`,
  home_address: { address_line_1: `1 ${mark} Street`, city: mark, postcode: 'LS1 1AA' },
});

/** Creates a document whose file name contains personal data. */
async function withDocument(api: SupplierApi, external_reference: string, filename: string) {
  const bytes = pdf();
  const file = await requestUpload(api, { external_reference, filename, byte_size: bytes.length });
  expect((await put(file, { bytes })).status).toBe(200);
  documentOf(await finalize(api, file));
  return file;
}

describeInBrowser('people in the console', () => {
  it('shows no applicant before a purpose is given, and hides the applicant again', async () => {
    const mark = newMark();
    const person = newPerson(mark);
    const forms = formsOf([mark, person.telephone.slice(3)]);
    const api = await newSupplier();
    const { submission_id, external_reference } = await decided(api, fullEnquiry(person));
    const { documentId } = await withDocument(api, external_reference, `${mark}.pdf`);
    const other = await created(api, enquiry());
    const path = `/submissions/${submission_id}`;
    const { page, complaints } = await openConsole({ name: 'ada', role: 'staff:operator' });
    const left = traces(page);
    await page.goto(`${await consoleUrl()}${path}`);
    await filled(page);
    await page.getByText(documentId).first().waitFor();
    expect(await left.holding(forms)).toEqual([]);

    const applicant = part(page, 'Applicant');
    const shown = page.getByRole('region', { name: 'Applicant' });
    await press(applicant, 'Reveal…');
    expect(await applicant.getByRole('button', { name: 'Full enquiry' }).isDisabled()).toBe(true);
    await applicant.getByLabel('Purpose').fill('file 41');
    await press(applicant, 'Masked details');
    await shown.getByText(person.telephone.slice(-3), { exact: true }).waitFor();
    expect(await left.holding(forms)).toEqual([]);

    const gone = async (how: string) => {
      await shown.waitFor({ state: 'detached' });
      expect([how, await left.shows(forms)]).toEqual([how, false]);
    };
    await press(applicant, 'Full enquiry');
    await shown.getByText(person.business_name).waitFor();
    expect(await left.holding(forms)).toEqual(['answers', 'page']);
    expect(await barriers(page)).toEqual([]);
    await press(applicant, 'Hide');
    await gone('by the button');

    await press(applicant, 'Application');
    await shown.getByText(person.business_name).first().waitFor();
    expect((await staffActs('submission', submission_id, 'file 41')).sort()).toEqual([
      'ada GetApplication',
      'ada ReadEnquiry',
      'ada ReadEnquiry',
    ]);
    await page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
      delete document.hidden`);
    await gone('with the tab');

    const files = part(page, 'Documents');
    await files.getByLabel('Purpose').fill('file 42');
    await press(files, 'Show file names');
    await files.getByText(`${mark}.pdf`).waitFor();
    expect(await staffActs('document', submission_id, 'file 42')).toEqual(['ada ListDocuments']);
    await press(applicant, 'Full enquiry');
    await shown.getByText(person.business_name).waitFor();
    await search(page, other.submission_id);
    await page.locator('dd').getByText(other.external_reference, { exact: true }).waitFor();
    await gone('by leaving');
    await page.goBack();
    await page.getByText(documentId).first().waitFor();
    await gone('for who comes back');
    await press(applicant, 'Reveal…');
    await applicant.getByLabel('Purpose').fill('file 43');
    await press(applicant, 'Full enquiry');
    await shown.getByText(person.business_name).waitFor();
    // Straight from one submission to another.
    await page.goForward();
    await page.locator('dd').getByText(other.external_reference, { exact: true }).waitFor();
    await gone('by navigation');
    await page.goBack();
    expect(await left.holding(forms)).toEqual(['answers']);

    await page.clock.install();
    await page.reload();
    await press(applicant, 'Reveal…');
    await applicant.getByLabel('Purpose').fill('file 43');
    await press(applicant, 'Full enquiry');
    await shown.getByText(person.business_name).waitFor();
    for (let minutes = 2; minutes <= 8; minutes += 2) {
      await page.mouse.move(minutes, 1);
      await page.clock.fastForward(119_000);
      expect([minutes, await left.shows(forms)]).toEqual([minutes, true]);
    }
    await page.mouse.move(0, 1);
    await page.clock.fastForward(115_000);
    expect(await left.shows(forms)).toBe(true);
    await page.mouse.move(1, 1);
    await page.clock.fastForward(15_000);
    await gone('after ten minutes, in spite of input');
    expect(complaints).toEqual([]);
  });

  it('shows viewers masked applicants, and no file names', async () => {
    const mark = newMark();
    const api = await newSupplier();
    const { submission_id, external_reference } = await decided(api, fullEnquiry(newPerson(mark)));
    await withDocument(api, external_reference, `${mark}.pdf`);
    const path = `/submissions/${submission_id}`;
    const { page } = await openConsole({ name: 'vic', role: 'staff:viewer', path });
    const applicant = part(page, 'Applicant');
    await press(applicant, 'Reveal…');
    await applicant.getByLabel('Purpose').fill('file 44');
    await press(applicant, 'Masked details');
    await page.getByRole('region', { name: 'Applicant' }).getByText('A. ', { exact: false }).waitFor();
    await part(page, 'Documents').getByText('Bank statements').waitFor();
    expect(await applicant.getByRole('button').allTextContents()).toEqual(['Masked details', 'Hide']);
    expect(await part(page, 'Documents').getByRole('button').count()).toBe(0);
    expect(await traces(page).shows(formsOf([mark]))).toBe(false);
  });

  it('finds a person, and exports, holds and erases their data', async () => {
    const mark = newMark();
    const person = newPerson(mark);
    const forms = formsOf([mark, person.telephone.slice(3)]);
    const api = await newSupplier();
    const own = await decided(api, fullEnquiry(person));
    await withDocument(api, own.external_reference, `${mark}.pdf`);
    const shared = { ...newPerson(newMark()), telephone: person.telephone };
    const others = await decided(await newSupplier(), fullEnquiry(shared));

    const { page, complaints } = await openConsole({
      name: 'pat',
      role: 'staff:privacy',
      path: '/data-requests',
    });
    const left = traces(page);
    const find = part(page, 'Find');
    await find.getByLabel('Email').fill(person.email);
    await find.getByLabel('Telephone').fill(person.telephone);
    await find.getByLabel('Purpose').fill('request 17');
    await press(find, 'Find applicant');
    const check = part(page, 'Check the matches');
    const row = (id: string) => check.getByRole('row').filter({ hasText: id });
    await row(own.submission_id).getByText('Email, telephone', { exact: true }).waitFor();
    await row(others.submission_id).getByText('Telephone', { exact: true }).waitFor();
    const masked = `A. ${mark[0]?.toUpperCase()}.`;
    expect((await row(own.submission_id).textContent())?.toUpperCase()).toContain(masked);
    for (const { submission_id } of [own, others])
      await check.getByRole('checkbox', { name: `Select ${submission_id}` }).check({ force: true });
    expect(await barriers(page)).toEqual([]);
    // The search input stays only in its field, until it is cleared with the results.
    await page.getByRole('button', { name: 'Find By email or telephone' }).click();
    expect(await left.holding(forms)).toEqual(['page']);
    await page.getByRole('button', { name: 'Check Select this person' }).click();
    await press(check, 'Hide');
    await check.waitFor({ state: 'detached' });
    expect(await find.getByLabel('Email').inputValue()).toBe('');
    expect(await left.holding(forms)).toEqual([]);

    await press(find, 'Continue with 2 submissions');
    await part(page, 'Hold or erase').waitFor();
    expect(await barriers(page)).toEqual([]);
    const chosen = part(page, 'Export');
    await chosen.getByLabel('Purpose').fill('request 17');
    await press(chosen, 'Collect data');
    await chosen.getByRole('alert').getByText('The names differ').waitFor();
    const download = page.waitForEvent('download');
    await press(chosen, 'Save the file despite different names');
    const exported = JSON.parse(readFileSync(await (await download).path(), 'utf8')) as {
      missing: string[];
      submissions: Record<string, unknown>[];
    };
    expect(exported).toMatchObject({
      selectedBy: 'selected from a search by email and telephone',
      namesDiffer: [[own.submission_id], [others.submission_id]],
      missing: [expect.stringMatching(/^document .*: the file is not included\./)],
    });
    expect(exported.submissions[0]).toMatchObject({
      matched: ['email', 'telephone'],
      submission: { submissionId: own.submission_id, status: 'accepted', enquiry: { email: person.email } },
      documents: { documents: [{ filename: `${mark}.pdf` }] },
      deliveries: expect.any(Array),
    });
    await chosen.getByRole('region', { name: 'Collected data' }).waitFor({ state: 'detached' });
    expect(await left.holding(forms)).toEqual(['answers']);
    expect(await staffActs('submission', own.submission_id, 'request 17')).toEqual(['pat ExportSubmission']);

    await page.goto(`${await consoleUrl()}/submissions/${own.submission_id}`);
    await act(page, 'Place hold', 'claim 18');
    await press(page.getByRole('alert').filter({ hasText: 'Hold placed' }), 'Undo');
    await page.getByText('Undone', { exact: true }).waitFor();
    expect(await staffActs('submission', own.submission_id, 'claim 18')).toEqual([
      'pat ReleaseHold',
      'pat HoldSubmissions',
    ]);
    await act(page, 'Place hold', 'claim 19');
    await page.getByText('Hold placed on 1 submission').waitFor();
    await act(page, 'Erase', 'erasure 18');
    const refused = await dialog(page).getByRole('alert').textContent();
    expect(refused).toMatch(/legal hold/);
    await press(dialog(page), 'Close');
    await act(page, 'Release hold', 'claim 19 is settled');
    await page.getByText('Hold released on 1 submission').waitFor();
    await act(page, 'Erase', 'erasure 18');
    const certificate = part(page, 'Erasure certificate');
    await certificate.getByText('Complete', { exact: true }).first().waitFor();
    await certificate.getByText('erasure 18', { exact: true }).waitFor();
    await part(page, 'Removed from').getByRole('row').filter({ hasText: 'document' }).first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('link', { name: 'Data requests' }).first().click();
    await page.getByRole('tab', { name: 'Erasures' }).click();
    await page.getByRole('table', { name: 'Erasures' }).getByRole('link').first().waitFor();
    expect(await barriers(page)).toEqual([]);
    await page.getByRole('tab', { name: 'Retention' }).click();
    await part(page, 'Retention').getByText('Accepted applicants are kept for').waitFor();
    expect(await barriers(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('completes pre-underwriting, releases parked work and closes billing where each applies', async () => {
    const queueing = await newSupplier({ preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF });
    const failing = enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) });
    const queued = await decided(queueing, failing);
    const staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
    const parked = await created(staffed, enquiry());
    await park(parked.submission_id);
    const promoting = await newSupplier(
      {
        billingModel: BillingModel.APPLICATION_CREATED,
        applicationMinting: ApplicationMinting.ON_PROMOTION,
      },
      'production',
    );
    const { submission_id } = await createdBasic(promoting, delivery());
    const pending = await settled(
      promoting,
      submission_id,
      'accepted',
      ({ status }) => status === 'accepted',
    );

    const path = `/submissions/${queued.submission_id}`;
    const { page, complaints } = await openConsole({ name: 'olga', role: 'staff:admin', path });
    await act(page, 'Complete pre-underwriting');
    await page.getByText('pre-underwriting cleared').waitFor();
    await page.getByText('olga: Completed pre-underwriting').waitFor();
    expect(await page.getByRole('button', { name: 'Complete pre-underwriting' }).count()).toBe(0);

    await page.goto(`${await consoleUrl()}/submissions/${parked.submission_id}`);
    await act(page, 'Release parked work');
    await page.getByText('olga: Released parked work').waitFor();
    expect(await page.getByRole('button', { name: 'Release parked work' }).count()).toBe(0);

    await page.goto(`${await consoleUrl()}/submissions/${pending.submission_id}`);
    await openAction(page, 'Close billing');
    await dialog(page).getByLabel('Reason', { exact: true }).selectOption('Given up by supplier');
    await press(dialog(page), 'Close billing');
    await dialog(page).waitFor({ state: 'detached' });
    await part(page, 'Billing').getByText('Not billable').first().waitFor();
    expect(submissionOf(await promoting.read(submission_id), 200).billing).toMatchObject({
      billing_status: 'not_billable',
    });
    expect(complaints).toEqual([]);
  });
});
