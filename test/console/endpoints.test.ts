import { barriers } from '../harness/accessibility.ts';
import { newAccount } from '../harness/accounts.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { begin, dialog, finish, inDialog, part } from '../harness/console-acts.ts';
import { newEndpoint, type OwnReceiver, startReceiver } from '../harness/endpoints.ts';
import { enquiry } from '../harness/enquiries.ts';
import { decided } from '../harness/suppliers.ts';

describeInBrowser('the endpoints of a supplier in the console', () => {
  let receiver: OwnReceiver;
  beforeAll(async () => {
    receiver = await startReceiver();
  });
  afterAll(() => receiver?.close());

  it('says why an endpoint fails, shows the result of a test event, and sends what is pending now', async () => {
    const account = await newAccount();
    const { accountId } = account;
    await newEndpoint(accountId, receiver.url);
    const { page } = await openConsole({
      name: 'oli',
      role: 'staff:operator',
      path: `/suppliers/${accountId}?tab=webhooks`,
    });
    const endpoint = part(page, 'Sandbox endpoint');
    await endpoint.getByText('No failed or pending events.').waitFor();
    await begin(page, 'Sandbox endpoint', 'Send test event');
    await dialog(page).getByText('An administrator can send a test event without one.').waitFor();
    expect(await inDialog(page, 'Send test event').isDisabled()).toBe(true);
    await inDialog(page, 'Cancel').click();
    await dialog(page).waitFor({ state: 'detached' });

    receiver.answers = 404;
    const api = await account.issue();
    const { submission_id } = await decided(api, enquiry());
    await endpoint.getByText('HTTP 404', { exact: true }).waitFor();
    expect(await barriers(page)).toEqual([]);
    await begin(page, 'Sandbox endpoint', 'Send test event');
    await inDialog(page, 'Send test event').click();
    await dialog(page).getByText('Not delivered: HTTP 404').waitFor();
    await finish(page, 'Done');

    receiver.answers = 204;
    const test = endpoint.getByRole('row').filter({ hasText: 'Test' });
    await test.getByRole('button', { name: 'Send now' }).click();
    await finish(page, 'Send now');
    await page.getByText('Event delivered: HTTP 204').waitFor();
    await begin(page, 'Sandbox endpoint', 'Send pending events');
    await finish(page, 'Send pending events');
    await endpoint.getByText('No failed or pending events.').waitFor();
    expect((await receiver.about(submission_id, 4)).length).toBeGreaterThanOrEqual(4);

    await endpoint.getByRole('link', { name: 'View sandbox events' }).click();
    await page.getByText(/^No events match/).waitFor();
    await page.getByText('Production', { exact: true }).first().click();
    await page.getByText(/^No endpoint, so no events are recorded/).waitFor();
    expect(await page.getByText('Could not load this').count()).toBe(0);
  });
});
