import { type Application, PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { StaffClients } from '../seed/staff-clients.ts';
import { reasonOf } from '../terminal.ts';
import { awaitWebhook } from './received-webhooks.ts';
import type { Report } from './report.ts';
import { sampleEnquiry } from './sample-enquiry.ts';
import { field, parseJson, viewStatus } from './status-view.ts';
import type { SupplierClient } from './supplier-client.ts';

const SETTLED_WITHIN_MS = 15_000;

/** What the demonstration works with. */
export interface Stage {
  readonly supplier: string;
  readonly client: SupplierClient;
  readonly staff: StaffClients;
  readonly eventsUrl: string;
  /** The same supplier in the sandbox. */
  readonly sandbox: SupplierClient;
  /** Whether anything scans documents. */
  readonly scans: boolean;
}

/** Sends one enquiry and shows what becomes of it, step by step. A step that does not hold ends the walk. */
export async function showMainJob(stage: Stage, report: Report): Promise<void> {
  const enquiry = sampleEnquiry();
  const since = new Date();
  const created = await stage.client.create(enquiry);
  const first = viewStatus(parseJson(created.text));
  const received = created.status === 202 && first.status === 'received' && first.submissionId !== undefined;
  report.step(
    'The supplier submits an enquiry: POST /v1/supplier-submissions',
    received,
    [`${created.status} ${created.text}`],
    '202 with status received',
  );
  if (!received || first.submissionId === undefined) return;
  const submissionId = first.submissionId;

  const webhook = await awaitWebhook({
    eventsUrl: stage.eventsUrl,
    supplier: stage.supplier,
    since,
    submissionId,
    wanted: ({ billingStatus }) => billingStatus === 'billable',
    withinMs: SETTLED_WITHIN_MS,
  });
  const read = await stage.client.read(submissionId);
  const now = viewStatus(parseJson(read.text));
  const application = await applicationOf(stage, submissionId);

  report.step(
    'It is decided, and an Application is made',
    now.status === 'accepted' &&
      typeof application !== 'string' &&
      application.applicationReference === now.applicationReference,
    [`status       ${now.status}, decided at ${now.decidedAt}`, ...describeApplication(application)],
    'status accepted and an Application with the reference that the supplier sees',
  );
  report.step(
    'Billing says what the lead is worth',
    now.billingStatus === 'billable',
    [`billing      ${JSON.stringify(field(parseJson(read.text), 'billing'))}`],
    'billing_status billable',
  );
  report.step(
    'The supplier receives a signed webhook and verifies it',
    webhook !== undefined,
    webhook ? describeWebhook(webhook.event) : ['no verified webhook with the final state'],
    `a verified webhook with billing_status billable within ${SETTLED_WITHIN_MS / 1000} s`,
  );
  report.step(
    "The supplier's read answers with exactly the webhook's data",
    webhook?.event.rawBody.includes(`"data":${read.text}`) ?? false,
    [`${read.status} ${read.text}`],
    '200 with the bytes that the webhook carries as data',
  );
}

async function applicationOf({ staff }: Stage, submissionId: string): Promise<Application | string> {
  try {
    return await staff.submission.getApplication({ purpose: 'shown in the demonstration', submissionId });
  } catch (error) {
    return reasonOf(error);
  }
}

function describeApplication(application: Application | string): string[] {
  if (typeof application === 'string') return [`Application  ${application}`];
  const { applicationReference, decision, preUnderwriting } = application;
  const state = PreUnderwritingState[preUnderwriting?.state ?? PreUnderwritingState.UNSPECIFIED];
  return [
    `Application  ${applicationReference}`,
    `because      ${decision?.rule} (policy ${decision?.policyVersion})`,
    `pre-underwriting ${state.toLowerCase()}`,
  ];
}

function describeWebhook(event: { headers: Readonly<Record<string, string>>; rawBody: string }): string[] {
  const shown = ['svc-webhook-id', 'svc-webhook-timestamp', 'svc-webhook-signature'];
  return [...shown.map((name) => `${name}: ${event.headers[name]}`), event.rawBody];
}
