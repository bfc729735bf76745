import { randomUUID } from 'node:crypto';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  type Approval,
  ApprovalLineSchema,
  ApprovalSchema,
  ApprovalService,
  ApprovalState,
} from '@supplier/proto/approval/v1/approval';
import { PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import type { DryRunPolicyResponse } from '@supplier/proto/submission/v1/policy_effects';
import { barriers } from '../harness/accessibility.ts';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Locator, type Page } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import { dialog, figuresOf, refusedCalls, toggleFilter } from '../harness/console-parts.ts';
import { enquiry } from '../harness/enquiries.ts';
import { rpcClient } from '../harness/rpc.ts';
import { decided } from '../harness/suppliers.ts';
import { token } from '../harness/tokens.ts';
import { NotYet, waitFor } from '../harness/wait.ts';

const policies = () => rpcClient('submission', PolicyService);
const approvals = () => rpcClient('submission', ApprovalService);
const PRE_UNDERWRITING = PolicyKind.PRE_UNDERWRITING;
const PATH = '/policies/pre_underwriting';

const button = (place: Pick<Page, 'getByRole'>, name: string) =>
  place.getByRole('button', { name, exact: true });
const textOf = (page: Page) => page.getByRole('textbox', { name: 'Policy text (JSON)' });
const openTab = (page: Page, name: string) => page.getByRole('tab', { name, exact: true }).click();

/** Returns an enum value of the contract as a label: "Overdue filings". */
const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1).replaceAll('_', ' ');

/** Returns the rows of a table, cell by cell. */
const cellsOf = (page: Page, table: string) =>
  page
    .getByRole('table', { name: table, exact: true })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent)),
    );

/** Returns the pre-underwriting rules in force under a new version: submissions are treated the same under either version. */
async function sameRules() {
  const { policy, text } = await policies().getPolicy({ kind: PRE_UNDERWRITING });
  const version = `test-${randomUUID()}`;
  return { before: policy?.version ?? '', version, text: JSON.stringify({ ...JSON.parse(text), version }) };
}

describeInBrowser('policies and approvals in the console', () => {
  it('shows an operator which rule is broken, and what the changes would have decided', async () => {
    const campaign = `console-${randomUUID()}`;
    const api = await newSupplier();
    const hit = await decided(api, enquiry({ attribution: { source: 'test', campaign } }));
    await decided(api, enquiry());
    const { policy, text } = await policies().getPolicy({ kind: PolicyKind.DECISION });
    const rule = {
      rule: 'campaign-of-a-test',
      when: `enquiry.attribution.campaign == "${campaign}"`,
      outcome: 'rejected',
      reason: 'A test wants it.',
    };
    const { rules } = JSON.parse(text);
    const changed = JSON.stringify({ version: `test-${randomUUID()}`, rules: [rule, ...rules] });

    const { page, complaints } = await openConsole({
      name: 'ota',
      role: 'staff:operator',
      path: `/policies/decision/${policy?.version}`,
    });
    const refused = refusedCalls(page);
    await openTab(page, 'Edit and test');
    await button(page, 'Edit the rules').click();
    await textOf(page).fill(`${changed},`);
    await page.getByText('This is not valid JSON yet.').waitFor();
    await textOf(page).fill(changed.replace('enquiry.attribution.campaign', 'enquiry.campaign'));
    await button(page, 'Validate').click();
    await page.getByText('Fix these errors:').waitFor();
    expect(await page.getByRole('list', { name: 'Errors' }).textContent()).toBe(
      'campaign-of-a-test rule 1, condition: Enquiry has no field "campaign".',
    );
    await textOf(page).fill(changed);
    await button(page, 'Validate').click();
    await page.getByText('No errors').waitFor();
    for (const act of ['Store version', 'Activate']) expect(await button(page, act).count()).toBe(0);

    await page.getByLabel('Account ID (optional)').fill(api.accountId);
    await page.getByLabel('Purpose').fill('effect of a rule');
    expect(refused).toEqual([]);
    await waitFor('the turn of a dry run', async () => {
      await button(page, 'Dry run').click();
      const ended = page.getByText(/^Finished|Another dry run is under way/);
      await ended.waitFor();
      if (!(await ended.textContent())?.startsWith('Finished')) throw new NotYet('another is under way');
    });
    const asked = { text: changed, accountId: api.accountId, purpose: 'effect of a rule' };
    let last: DryRunPolicyResponse | undefined;
    for await (const answer of policies().dryRunPolicy(asked)) last = answer;
    expect(last).toMatchObject({ finished: true, changed: 1n });
    expect(await figuresOf(page.getByRole('group', { name: 'Counts' }))).toEqual([
      ['Changed', String(last?.changed), ''],
      ['Unchanged', String(last?.unchanged), `${last?.unchangedByAnotherRule} by another rule`],
      ['Skipped', String(last?.passedOver), expect.any(String)],
      ['Failed', String(last?.failed), expect.any(String)],
    ]);
    expect(await cellsOf(page, 'Effect on decisions')).toEqual([
      ['Accepted', '1', '0', '−1'],
      ['Rejected', '0', '1', '+1'],
    ]);
    expect(await cellsOf(page, 'Changed decisions')).toEqual([
      ['Accepted', last?.changes[0]?.fromRule, 'Rejected', 'campaign-of-a-test', '1'],
    ]);
    expect(await barriers(page)).toEqual([]);
    await page
      .getByRole('table', { name: 'Changed submissions' })
      .getByRole('link', { name: hit.submission_id })
      .click();
    await page.getByText(hit.external_reference).first().waitFor();
    expect(complaints).toEqual([]);
  });

  it('stores a version, and activates it after one person requests it and another reviews every value', async () => {
    const { before, version, text } = await sameRules();
    const stored = await policies().getPolicy({ kind: PRE_UNDERWRITING });
    const ada = await openConsole({ name: 'ada', role: 'staff:admin', path: '/policies' });
    const { page } = ada;
    try {
      const link = page.getByRole('link', { name: before, exact: true }).first();
      await link.waitFor();
      expect(await barriers(page)).toEqual([]);
      await link.click();
      await page.getByRole('table', { name: 'Rules' }).waitFor();
      expect(await barriers(page)).toEqual([]);
      const rows = await cellsOf(page, 'Rules');
      expect(rows.map((cells) => cells.map((cell) => cell?.replaceAll('\n', ' ')))).toEqual(
        stored.rules.map(({ rule, condition, outcome }, place) => [
          String(place + 1),
          rule,
          condition,
          capitalized(outcome).replace('ccjs', 'CCJs'),
          'Count',
        ]),
      );
      const [first] = stored.rules;
      await page.getByRole('button', { name: `Count matches of ${first?.rule}` }).click();
      await page.getByText(/^\d+ of \d+/).waitFor();

      await openTab(page, 'Edit and test');
      await page.getByRole('textbox', { name: 'Version' }).fill(version);
      const count = page.getByRole('textbox', { name: 'unsatisfied-ccjs' });
      await count.fill('1');
      await count.fill('');
      await page.getByText('Enter a number.').waitFor();
      await button(page, 'Edit the rules').click();
      expect(JSON.parse(await textOf(page).inputValue())).toEqual(
        JSON.parse(text.replace('unsatisfied_ccj_count > 0', 'unsatisfied_ccj_count > 1')),
      );
      await count.fill('0');
      await button(page, 'Store version').click();
      await dialog(page).getByLabel('Change note').fill('nothing but its version');
      await button(dialog(page), 'Store version').click();
      await page.getByRole('heading', { name: version }).waitFor();
      await dialog(page).getByText('0 rules added, 0 changed, 0 removed').waitFor();
      expect(await dialog(page).getByLabel('Purpose', { exact: true }).inputValue()).toBe(
        'nothing but its version',
      );
      await button(dialog(page), 'Cancel').click();
      await dialog(page).waitFor({ state: 'detached' });
      await page.reload();
      await page.locator('ins', { hasText: version }).waitFor();
      expect(await page.locator('del').allTextContents()).toEqual([`2−  "version": "${before}",`]);
      expect(await barriers(page)).toEqual([]);
      await openTab(page, 'Edit and test');
      await button(page, 'Edit the rules').click();
      await textOf(page).fill(text.replace('overdue', 'overdue-of-late'));
      await button(page, 'Store version').click();
      await dialog(page).getByLabel('Change note').fill('another text');
      await button(dialog(page), 'Store version').click();
      expect(await dialog(page).getByRole('alert').textContent()).toContain('exists with a different text');
      await button(dialog(page), 'Close').click();
      await dialog(page).waitFor({ state: 'detached' });

      await button(page, 'Activate').click();
      await dialog(page).getByText('0 rules added, 0 changed, 0 removed').waitFor();
      await dialog(page).getByLabel('Purpose', { exact: true }).fill('as agreed');
      await dialog(page).getByText('Second person’s approval', { exact: true }).click();
      await dialog(page).getByLabel('Reason for the approver').fill('please look');
      await button(dialog(page), 'Request approval').click();
      await dialog(page).getByText('Pending until').waitFor();
      const approvalId = await dialog(page).getByLabel('Approval ID').inputValue();
      const path = `/approvals?service=submission&approval=${approvalId}`;

      // The requester can't approve their own request.
      const own = await page.context().newPage();
      await own.goto(`${await consoleUrl()}${path}`);
      await button(own, 'Approve').click();
      await button(dialog(own), 'Approve').click();
      expect(await dialog(own).getByRole('alert').textContent()).toMatch(/another|other|own/i);

      const bob = await openConsole({ name: 'bob', role: 'staff:admin' });
      await bob.page.locator(`a[href*="${approvalId}"]`).click();
      await bob.page.getByRole('table', { name: 'Changes' }).waitFor();
      expect(await barriers(bob.page)).toEqual([]);
      const whole = await approvals().getApproval({ approvalId });
      const digests = whole.lines.filter(({ name }) => name === 'policy.sha256');
      expect(digests).toHaveLength(1);
      expect(await cellsOf(bob.page, 'Changes')).toEqual(
        [...whole.lines.filter((line) => !digests.includes(line)), ...digests].map(shownLine),
      );
      const difference = bob.page.getByRole('group', { name: 'Changed lines' });
      expect(await difference.locator('del').allTextContents()).toEqual([`2−  "version": "${before}",`]);
      expect(await difference.locator('ins').allTextContents()).toEqual([`2+  "version": "${version}",`]);
      await button(difference, 'Show all lines').click();
      expect(await linesOf(difference)).toEqual(JSON.stringify(JSON.parse(text), null, 2).split('\n'));
      const facts = await bob.page.locator('dl').first().textContent();
      for (const fact of ['ada (issuer ', 'please look', whole.sha256]) expect(facts).toContain(fact);
      await button(bob.page, 'Approve').click();
      expect(await dialog(bob.page).textContent()).toContain(`--sha256 ${whole.sha256} --yes`);
      await button(dialog(bob.page), 'Approve').click();
      await bob.page.locator('.page-header').getByText('Approved', { exact: true }).waitFor();
      await bob.page.context().close();

      await dialog(page).getByText('Approved by bob').waitFor();
      await button(dialog(page), 'Activate').click();
      await dialog(page).waitFor({ state: 'detached' });
      expect(await policies().getPolicy({ kind: PRE_UNDERWRITING })).toMatchObject({
        policy: { version, activatedBy: 'ada' },
      });
      expect(await approvals().getApproval({ approvalId })).toMatchObject({ state: ApprovalState.USED });
      await page.locator('.page-header').getByText('Active', { exact: true }).waitFor();
      expect(ada.complaints).toEqual([]);
    } finally {
      const back = { kind: PRE_UNDERWRITING, version: before, purpose: 'the test is over' };
      await policies().activatePolicy(back);
    }
  });

  it('refuses with a reason, approves only what was reviewed, and shows invisible characters', async () => {
    const { before, version, text } = await sameRules();
    await policies().storePolicy({ kind: PRE_UNDERWRITING, text, note: 'to be refused' });
    const who = token({ roles: ['staff:admin'], audience: 'submission', subject: 'ada' });
    const asked = await rpcClient('submission', ApprovalService, who).requestApproval({
      action: 'ActivatePolicy',
      argumentsJson: JSON.stringify({ kind: PRE_UNDERWRITING, version, purpose: 'a trial' }),
      purpose: 'a trial of it',
    });
    const { approvalId } = asked;
    const { page, complaints } = await openConsole({
      name: 'bob',
      role: 'staff:admin',
      path: `/approvals?service=submission&approval=${approvalId}`,
    });
    // Text chosen by the requester: none of it may look like part of the screen, or be out of sight.
    const hostile: Approval = create(ApprovalSchema, {
      ...asked,
      purpose: 'as\u202e agreed',
      lines: [
        { name: 'kind', after: 'pre_underwriting' },
        { name: 'policy.sha256', before: 'ab'.repeat(32), after: 'cd'.repeat(32) },
        { name: 'policy.version', before, after: version },
        { name: 'note', before: 'a\u0000', after: `b\n${' '.repeat(3)}c\u200b\u3000` },
        { name: 'kind', before: 'decision' },
        { name: 'kind', before: 'the same', after: 'the same' },
      ].map((line) => create(ApprovalLineSchema, line)),
    });
    await page.route('**/GetApproval', (route) =>
      route.fulfill({
        contentType: 'application/proto',
        body: Buffer.from(toBinary(ApprovalSchema, hostile)),
      }),
    );
    const calls: string[] = [];
    page.on('request', (request) => calls.push(request.url().split('/').at(-1) ?? ''));
    await page.getByText('as\\u202e agreed').waitFor();
    // The stored text has another digest.
    await page.getByText('Do not approve it.').waitFor();
    expect(await page.getByRole('group', { name: 'Changed lines' }).count()).toBe(0);
    expect(await cellsOf(page, 'Changes')).toEqual([
      ['kind', '', 'pre_underwriting'],
      ['policy.version', before, version],
      ['note', 'a\\u0000', 'b\\n␣␣␣c\\u200b\\u3000'],
      ['kind', 'decision', 'Unchanged'],
      ['kind', 'the same', 'Unchanged'],
      ['policy.sha256', `${'ab'.repeat(32)}Copy`, `${'cd'.repeat(32)}Copy`],
    ]);
    await button(page, 'Approve').click();
    hostile.sha256 = 'ab'.repeat(32);
    await button(dialog(page), 'Approve').click();
    expect(await dialog(page).getByRole('alert').textContent()).toContain('changed since you read it');
    expect(calls).not.toContain('ApproveRequest');
    await button(dialog(page), 'Close').click();
    await dialog(page).waitFor({ state: 'detached' });
    await page.unroute('**/GetApproval');

    await button(page, 'Refuse').click();
    await dialog(page).getByLabel('Reason').fill('no');
    await dialog(page).getByText('Must have at least 3 letters or digits.').waitFor();
    expect(await button(dialog(page), 'Refuse').isDisabled()).toBe(true);
    await dialog(page).getByLabel('Reason').fill('not signed yet');
    await button(dialog(page), 'Refuse').click();
    await page.locator('.page-header').getByText('Refused', { exact: true }).waitFor();
    await page.locator('dd').getByText('not signed yet').waitFor();
    expect(await approvals().getApproval({ approvalId })).toMatchObject({
      state: ApprovalState.REFUSED,
      decidedBy: 'bob',
      refusalReason: 'not signed yet',
    });
    await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor();
    expect(await page.locator(`main a[href*="${approvalId}"]`).count()).toBe(0);
    await toggleFilter(page, 'Status', 'Refused');
    await page.locator(`main a[href*="${approvalId}"]`).waitFor();
    expect((await policies().getPolicy({ kind: PRE_UNDERWRITING })).policy?.version).toBe(before);
    expect(complaints).toEqual([]);
  });

  it('shows a viewer the rules, but neither drafts nor approvals', async () => {
    const { before } = await sameRules();
    const path = `${PATH}/${before}`;
    const { page } = await openConsole({ name: 'vic', role: 'staff:viewer', path });
    const refused = refusedCalls(page);
    await page.getByRole('table', { name: 'Rules' }).waitFor();
    await openTab(page, 'Changes');
    await page.getByText('This is the active version.').waitFor();
    expect(await page.getByRole('tab').allTextContents()).toEqual(['Rules', 'Changes']);
    await page.goto(`${page.url().split('?')[0]}?tab=edit`);
    await page.getByRole('table', { name: 'Rules' }).waitFor();
    expect(await textOf(page).count()).toBe(0);
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Awaiting decision' }).first().waitFor();
    expect(await page.locator('a[href^="/approvals"]').count()).toBe(0);
    expect(refused).toEqual([]);
  });
});

/** Returns the lines of the new text in a comparison. */
const linesOf = (difference: Locator) =>
  difference
    .locator(':scope > ins > span:last-child, :scope > div > span:last-child')
    .evaluateAll((lines) => lines.map((line) => line.textContent));

/** Returns a line of an approval as its row shows it. */
function shownLine({ name, before, after }: Approval['lines'][number]): (string | undefined)[] {
  const shown = (value: string) => (name.endsWith('sha256') ? `${value}Copy` : value || 'Empty');
  if (after === undefined || before === after) return [name, shown(before ?? ''), 'Unchanged'];
  return [name, before === undefined ? '' : shown(before), shown(after)];
}
