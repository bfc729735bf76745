import { create } from '@bufbuild/protobuf';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Environment, Status } from '@supplier/proto/common/v1/status';
import { GetQueuesResponseSchema } from '@supplier/proto/submission/v1/queues';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { answerStream, bytesOf } from '../harness/connect-streams.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import { search, setHidden } from '../harness/console-parts.ts';
import { enquiry } from '../harness/enquiries.ts';
import { staff } from '../harness/rpc.ts';
import { created } from '../harness/suppliers.ts';

const reason = 'trading record seen';

/** Records the RPC names that the page has called, and the calls that are still open. */
function callsOf(page: Page) {
  const sent: string[] = [];
  const open = new Set<string>();
  const nameOf = (url: string) => url.split('/').at(-1) ?? '';
  page.on('request', (request) => {
    if (!request.url().includes('/rpc/')) return;
    sent.push(nameOf(request.url()));
    open.add(nameOf(request.url()));
  });
  page.on('requestfinished', (request) => open.delete(nameOf(request.url())));
  page.on('requestfailed', (request) => open.delete(nameOf(request.url())));
  return { sent, open };
}

const streamed = (page: Page, method: string) =>
  page.waitForResponse((response) => response.url().endsWith(`/${method}`) && response.ok());
const decide = (submissionId: string) =>
  staff.submission().decideSubmission({ submissionId, decision: Status.ACCEPTED, reason });

describeInBrowser("the staff's console, live", () => {
  let staffed: Awaited<ReturnType<typeof newSupplier>>;
  beforeAll(async () => {
    staffed = await newSupplier({ decisionMode: DecisionMode.STAFF });
  });
  /** Opens the page of a submission awaiting a decision, once its stream is open. */
  async function openWaiting(name: string) {
    const { submission_id } = await created(staffed, enquiry());
    const { page, complaints } = await openConsole({ name, role: 'staff:viewer' });
    const calls = callsOf(page);
    const streaming = streamed(page, 'WatchTimeline');
    await search(page, submission_id);
    await streaming;
    await page.getByText('Received, awaiting decision by staff').waitFor();
    return { page, complaints, calls, id: submission_id };
  }

  it('shows a colleague’s decision and its effects without a reload', async () => {
    const { page, complaints, calls, id } = await openWaiting('liv');
    const before = calls.sent.length;
    await decide(id);
    await page.getByText(`Accepted by staff: ${reason}`).waitFor();
    await page.locator('.page-header').getByText('Accepted', { exact: true }).waitFor();
    // The page requests nothing that the stream already delivers.
    expect(calls.sent.slice(before)).not.toContain('GetTimeline');
    expect(complaints).toEqual([]);
  });

  it('drops a slow response that is older than what the stream has delivered', async () => {
    const { submission_id } = await created(staffed, enquiry());
    const { page } = await openConsole({ name: 'lee', role: 'staff:viewer' });
    const [old, late, stream] = [0, 1, 2].map(() => Promise.withResolvers<void>());
    await page.route('**/WatchTimeline', async (route) => {
      await stream?.promise;
      await route.continue();
    });
    await page.route('**/GetTimeline', async (route) => {
      const response = await route.fetch();
      old?.resolve();
      await late?.promise;
      // Rejects if the page has given the request up.
      await route.fulfill({ response }).catch(() => {});
    });
    const ended = Promise.withResolvers<void>();
    const noteEnd = (url: string) => url.endsWith('/GetTimeline') && ended.resolve();
    page.on('requestfinished', (request) => noteEnd(request.url()));
    page.on('requestfailed', (request) => noteEnd(request.url()));
    await page.goto(`${await consoleUrl()}/submissions/${submission_id}`);
    await old?.promise;
    await decide(submission_id);
    stream?.resolve();
    const decided = page.getByText(`Accepted by staff: ${reason}`);
    await decided.waitFor();
    late?.resolve();
    await ended.promise;
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    expect(await decided.count()).toBe(1);
  });

  it('shows on the first screen that more submissions await a decision, without a reload', async () => {
    const { page } = await openConsole({
      name: 'len',
      role: 'staff:viewer',
      path: `/?environment=${Environment.SANDBOX}`,
    });
    const calls = callsOf(page);
    const streaming = streamed(page, 'WatchQueues');
    await page.reload();
    await streaming;
    const count = page
      .locator('section', { has: page.getByRole('heading', { name: 'Awaiting decision' }) })
      .locator('.number')
      .first();
    const before = await count.textContent();
    const asked = calls.sent.length;
    // Several, since other tests decide some meanwhile.
    await Promise.all([1, 2, 3].map(() => created(staffed, enquiry())));
    await count.filter({ hasNotText: new RegExp(`^${before}$`) }).waitFor();
    expect(calls.sent.slice(asked)).not.toContain('GetQueues');
  });

  it('closes its stream while it is hidden, and reopens it when it is visible again', async () => {
    const { page, calls, id } = await openWaiting('hid');
    expect([...calls.open]).toContain('WatchTimeline');
    const closed = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/WatchTimeline'));
    await setHidden(page, true);
    await closed;
    await decide(id);
    const streaming = streamed(page, 'WatchTimeline');
    await setHidden(page, false);
    await streaming;
    await page.getByText(`Accepted by staff: ${reason}`).waitFor();
  });

  it('delays before it reopens a stream that ended right after its first response, but not one that lasted', async () => {
    const { page } = await openConsole({ name: 'lou', role: 'staff:viewer' });
    const calls = callsOf(page);
    const openings = () => calls.sent.filter((name) => name === 'WatchQueues').length;
    const opening = () => page.waitForRequest('**/WatchQueues');
    const ends = [1, 2, 3].map(() => Promise.withResolvers<void>());
    let count = 0;
    await page.route('**/WatchQueues', async (route) => {
      const end = ends[count];
      count += 1;
      await end?.promise;
      await answerStream(route, [bytesOf(GetQueuesResponseSchema, create(GetQueuesResponseSchema))]);
    });
    const lost = page.getByText('Live updates lost. Reconnecting…').first();
    // From here on, time passes only when the test advances it.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.goto(await consoleUrl());
    ends[0]?.resolve();
    await lost.waitFor();
    expect(openings()).toBe(1);
    const second = opening();
    await page.clock.runFor(1_000);
    await second;
    await page.clock.runFor(11_000);
    const third = opening();
    ends[1]?.resolve();
    await third;
    expect(openings()).toBe(3);
  });

  it('shows that the session has ended when it ends elsewhere, and stops retrying', async () => {
    const { page, calls } = await openWaiting('oli');
    const { page: beside } = await openConsole({ name: 'oli', role: 'staff:viewer' });
    await beside.getByRole('button', { name: 'Account: oli' }).click();
    await beside.getByRole('button', { name: 'Log out everywhere' }).click();
    await beside.getByText('You are logged out of the console').waitFor();
    await page.getByRole('alert').getByText('Your session has ended').waitFor();
    expect([...calls.open]).not.toContain('WatchTimeline');
  });
});
