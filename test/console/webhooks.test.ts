import { fromBinary } from '@bufbuild/protobuf';
import { Environment } from '@supplier/proto/common/v1/status';
import { ListEndpointsRequestSchema } from '@supplier/proto/webhook/v1/list_endpoints';
import { barriers } from '../harness/accessibility.ts';
import { newAccount } from '../harness/accounts.ts';
import { describeInBrowser } from '../harness/browser.ts';
import { openConsole } from '../harness/console.ts';
import { part } from '../harness/console-acts.ts';
import { endpointOf, eventsOf, newEndpoint, startReceiver } from '../harness/endpoints.ts';
import { enquiry } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { decided } from '../harness/suppliers.ts';

describeInBrowser('the Webhooks screen of the console', () => {
  it('lists failing endpoints first, counts them in the sidebar, and leads to the endpoint', async () => {
    const receiver = await startReceiver();
    const [healthy, failing, without] = await Promise.all([newAccount(), newAccount(), newAccount()]);
    for (const { accountId } of [failing, healthy]) await newEndpoint(accountId, receiver.url);
    receiver.answers = 503;
    const { submission_id } = await decided(await failing.issue(), enquiry());
    await eventsOf(submission_id, 'attempted', ([event]) => event?.attempts[0]?.statusCode === 503);

    const { page, complaints } = await openConsole({
      name: 'wes',
      role: 'staff:operator',
      path: '/webhooks',
    });
    await page.getByText('Sandbox', { exact: true }).first().click();
    const rows = page.getByRole('table', { name: 'Webhooks' }).getByRole('row');
    const { name } = await staff.account().getAccount({ accountId: failing.accountId });
    const row = rows.filter({ hasText: name });
    await row.waitFor();
    expect(await row.textContent()).not.toContain('attempts failed');
    // Loads up to 200 events for each row, so only on request.
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByLabel('Failure rate, 24 hours').check();
    await row.getByText('1 of 1 attempts failed (100%)').waitFor();
    await page.keyboard.press('Escape');
    expect(await row.textContent()).toContain(new URL(receiver.url).host);
    const silent = part(page, 'Suppliers without an endpoint');
    const nameOf = async ({ accountId }: { readonly accountId: string }) =>
      (await staff.account().getAccount({ accountId })).name;
    await silent.getByRole('link', { name: await nameOf(without), exact: true }).waitFor();
    expect(await silent.getByRole('link', { name, exact: true }).count()).toBe(0);
    const states = await rows.locator('td:first-child').allTextContents();
    expect(states).toEqual([
      ...states.filter((state) => state === 'Failing'),
      ...states.filter((state) => state !== 'Failing'),
    ]);
    const { endpoints } = await staff
      .webhook()
      .listEndpoints({ environment: Environment.SANDBOX, failing: true, pageSize: 21 });
    expect(endpoints.length).toBeGreaterThan(0);
    const count = endpoints.length > 20 ? '20+' : String(endpoints.length);
    await page
      .getByRole('navigation', { name: 'Main' })
      .locator('div', { has: page.getByRole('link', { name: 'Webhooks' }) })
      .getByText(count, { exact: true })
      .waitFor();
    expect(await barriers(page)).toEqual([]);

    await row.getByRole('link', { name }).click();
    await page.waitForURL(
      (url) => url.pathname.endsWith(failing.accountId) && url.searchParams.get('tab') === 'webhooks',
    );
    await page.getByRole('heading', { name: 'Sandbox endpoint' }).waitFor();
    expect(complaints).toEqual([]);
    await receiver.close();
    await staff.webhook().disableEndpoint(endpointOf(failing.accountId));
  });

  it('lists the healthy endpoints without a click when none is failing', async () => {
    const { accountId } = await newAccount();
    await newEndpoint(accountId, 'https://receiver.example/webhooks');
    const { page } = await openConsole({ name: 'wes', role: 'staff:operator' });
    await page.route('**/ListEndpoints', (route) => {
      const asked = route.request().postDataBuffer() ?? Buffer.alloc(0);
      return fromBinary(ListEndpointsRequestSchema, asked).failing
        ? route.fulfill({ contentType: 'application/proto', body: Buffer.alloc(0) })
        : route.continue();
    });
    await page.getByText('Sandbox', { exact: true }).first().click();
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByRole('table', { name: 'Webhooks' }).getByText('Healthy').first().waitFor();
  });
});
