import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { newSupplier } from '../harness/accounts.ts';
import { describeInBrowser, type Page } from '../harness/browser.ts';
import { consoleUrl, openConsole } from '../harness/console.ts';
import { filled } from '../harness/console-parts.ts';
import { enquiry } from '../harness/enquiries.ts';
import { rolesTable } from '../harness/roles-table.ts';
import { decided } from '../harness/suppliers.ts';

const { staffRoles, allowed } = rolesTable();
const may = (role: string, method: string) => allowed[method]?.includes(role) ?? false;

/** The screens in the navigation, each with the call that loads it. Everyone sees the overview. */
const SCREENS: Readonly<Record<string, string | undefined>> = {
  Overview: undefined,
  Submissions: 'SubmissionService/ListSubmissions',
  Approvals: 'ApprovalService/ListApprovals',
  Suppliers: 'AccountService/ListAccounts',
  Webhooks: 'WebhookService/ListEndpoints',
  Billing: 'SubmissionService/ListPendingBilling',
  Policies: 'PolicyService/ListPolicies',
  Reports: 'BillingService/GetBillableValue',
  'Data requests': 'PrivacyService/FindPerson',
  'Audit log': 'AuditService/ListAudit',
  Reconciliation: 'ReconciliationService/Reconcile',
};

/** The contracts that each process serves, including the contracts of other processes. */
const CONTRACTS: Readonly<Record<string, readonly DescService[]>> = {
  account: [AccountService, ApprovalService],
  submission: [SubmissionService, PolicyService, PrivacyService, ApprovalService],
  document: [DocumentService],
  billing: [BillingService],
  webhook: [WebhookService],
};
const METHODS = Object.entries(CONTRACTS).flatMap(([target, contracts]) =>
  [...contracts, AuditService, ReconciliationService, CallsService]
    .flatMap(({ methods }): readonly DescMethod[] => methods)
    .map((method) => ({
      name: `${target} ${method.parent.name}/${method.name}`,
      row: `${method.parent.name}/${method.name}`,
      path: `/rpc/${target}/${method.parent.typeName}/${method.name}`,
      isStream: method.methodKind !== 'unary',
    })),
);

/**
 * Runs in the page: makes every call with an invalid body, so that none has an effect, a dozen at a time. Resolves to
 * the code of each response.
 */
const FORGE = `async ({ person, calls }) => {
  const junk = '{';
  const framed = new Uint8Array([0, 0, 0, 0, 1, junk.charCodeAt(0)]);
  const answers = {};
  const left = [...calls];
  const work = async () => {
    for (let call = left.pop(); call; call = left.pop()) {
      const answer = await fetch(call.path, {
        method: 'POST',
        headers: {
          'content-type': call.isStream ? 'application/connect+json' : 'application/json',
          'connect-protocol-version': '1',
          'console-person': encodeURIComponent(person),
        },
        body: call.isStream ? framed : junk,
      });
      const text = await answer.text();
      const [, code] = /"code":"([a-z_]+)"/.exec(text) ?? [];
      answers[call.name] = answer.status === 404 && code === 'unimplemented' ? 'no such call' : code ?? text;
    }
  };
  await Promise.all(Array.from({ length: 12 }, work));
  return answers;
}`;

describeInBrowser('a member of staff in any role', () => {
  let paths: Record<string, string>;
  beforeAll(async () => {
    const api = await newSupplier();
    const { submission_id } = await decided(api, enquiry());
    paths = {
      'SubmissionService/GetSubmission': `/submissions/${submission_id}`,
      'AccountService/GetAccount': `/suppliers/${api.accountId}`,
      'BillingService/GetStatement': `/suppliers/${api.accountId}/statements/${new Date().toISOString().slice(0, 7)}`,
    };
  });
  it.each(staffRoles)(
    '%s: sees their screens, causes no refused call by looking, and may call what the contracts allow',
    async (role) => {
      const person = role.replace('staff:', 'walking-');
      const { page, complaints } = await openConsole({ name: person, role });
      const refused: string[] = [];
      page.on('response', (response) => {
        if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`);
      });
      await page.reload();
      await filled(page);
      const links = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
      const screens = await links.allTextContents();
      expect(screens).toEqual(
        Object.entries(SCREENS).flatMap(([screen, call]) => (!call || may(role, call) ? [screen] : [])),
      );
      for (const screen of screens) {
        await links.getByText(screen, { exact: true }).click();
        await seen(page, screen);
        // Read in one step: the next screen may take the links away.
        const [path] = await page
          .locator('main a[href^="/policies/"]')
          .evaluateAll((policies) => policies.map((policy) => policy.getAttribute('href')));
        if (path) paths['PolicyService/GetPolicy'] = path;
      }
      for (const [method, path] of Object.entries(paths).filter(([one]) => may(role, one))) {
        await page.goto(`${await consoleUrl()}${path}`);
        await seen(page, `filled by ${method}`);
      }
      expect(refused).toEqual([]);
      expect(complaints).toEqual([]);

      const answers = await page.evaluate<Record<string, string>>(
        `(${FORGE})(${JSON.stringify({ person, calls: METHODS })})`,
      );
      expect(answers).toEqual(
        Object.fromEntries(METHODS.map(({ name, row }) => [name, answerTo(role, row)])),
      );
      await page.context().close();
    },
  );
});

/** Returns the expected code for an invalid message, which isn't decoded before its sender is authorised. */
function answerTo(role: string, method: string): string {
  if (!staffRoles.some((one) => may(one, method))) return 'no such call';
  return may(role, method) ? 'invalid_argument' : 'permission_denied';
}

/** Waits until a screen has its title and has requested its data. */
async function seen(page: Page, what: string): Promise<void> {
  await filled(page);
  expect([what, await page.getByRole('alert').allTextContents()]).toEqual([what, []]);
}
