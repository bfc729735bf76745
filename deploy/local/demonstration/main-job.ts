import { type Application, PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import { reasonOf } from '../terminal.ts';
import { sampleEnquiry } from './sample-enquiry.ts';
import { awaitWebhook, type ShowStep, type Stage } from './stage.ts';
import { field, parseJson, viewStatus } from './status-view.ts';

const SETTLED_WITHIN_MS = 15_000;
const SHOWN_HEADERS = ['svc-webhook-id', 'svc-webhook-timestamp', 'svc-webhook-signature'];

/** Submits one enquiry and shows its progress, step by step. Resolves to whether every step passed. */
export async function showMainJob(stage: Stage, show: ShowStep): Promise<boolean> {
  const since = new Date();
  const created = await stage.client.create(sampleEnquiry());
  const { status, submissionId } = viewStatus(parseJson(created.text));
  const isReceived = show(
    'The supplier submits an enquiry: POST /v1/supplier-submissions',
    created.status === 202 && status === 'received' && submissionId !== undefined,
    [`${created.status} ${created.text}`],
    '202 with status received',
  );
  if (!isReceived || submissionId === undefined) return false;

  const about = { submissionId, since, withinMs: SETTLED_WITHIN_MS };
  const webhook = await awaitWebhook(stage, about, ({ billingStatus }) => billingStatus === 'billable');
  const read = await stage.client.read(submissionId);
  const now = viewStatus(parseJson(read.text));
  const application = await stage.staff.submission
    .getApplication({ purpose: 'for the demonstration', submissionId })
    .catch(reasonOf);
  return [
    show(
      'It is decided, and an Application is created',
      now.status === 'accepted' &&
        typeof application !== 'string' &&
        application.applicationReference === now.applicationReference,
      [`status       ${now.status}, decided at ${now.decidedAt}`, ...describe(application)],
      'status accepted, and an Application with the reference that the supplier sees',
    ),
    show(
      'The submission is billable',
      now.billingStatus === 'billable',
      [`billing      ${JSON.stringify(field(parseJson(read.text), 'billing'))}`],
      'billing_status billable',
    ),
    show(
      'The supplier receives a signed webhook and verifies it',
      webhook !== undefined,
      webhook
        ? [...SHOWN_HEADERS.map((name) => `${name}: ${webhook.headers[name]}`), webhook.rawBody]
        : ['no verified webhook with the final state'],
      `a verified webhook with billing_status billable within ${SETTLED_WITHIN_MS / 1000} s`,
    ),
    show(
      "The supplier's read returns exactly the webhook's data",
      webhook?.rawBody.includes(`"data":${read.text}`) ?? false,
      [`${read.status} ${read.text}`],
      '200 with the bytes of the webhook data',
    ),
  ].every(Boolean);
}

function describe(application: Application | string): string[] {
  if (typeof application === 'string') return [`Application  ${application}`];
  const { applicationReference, decision, preUnderwriting } = application;
  const state = PreUnderwritingState[preUnderwriting?.state ?? PreUnderwritingState.UNSPECIFIED];
  return [
    `Application  ${applicationReference}`,
    `because      ${decision?.rule} (policy ${decision?.policyVersion})`,
    `pre-underwriting ${state.toLowerCase()}`,
  ];
}
