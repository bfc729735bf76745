import { readFileSync, writeFileSync } from 'node:fs';
import { type DescField, type DescMessage, type DescMethod, getOption } from '@bufbuild/protobuf';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { ApplicantData, access, applicant_data, audited, rules } from '@supplier/proto/common/v1/options';
import { staffContracts } from '../staff-contracts/index.ts';

const page = new URL('../../../../docs/internal-api.md', import.meta.url);
const TABLE =
  /(?<=<!-- applicant data: made from the contracts -->\n).*?(?=\n<!-- end of applicant data -->)/s;
const METHODS = [...new Set(Object.values(staffContracts).flat()), CallsService].flatMap(
  ({ methods }) => methods,
);
const MAY_SEE_VALUES = ['staff:operator', 'staff:privacy', 'staff:admin'];

/** Methods that leave out what their response's type could contain. Tests of their services check it. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  ListEvents: 'answer_head',
  ListEndpointEvents: 'answer_head',
  RescanDocument: 'filename',
  DeleteDocument: 'filename',
  // The response to a ping, which contains no applicant data.
  PreflightEndpoint: 'answer_head',
};

/** Returns the marked fields that a response can contain. Nothing inside a marked field is searched. */
function markedIn(message: DescMessage, seen = new Set<DescMessage>()): DescField[] {
  if (seen.has(message)) return [];
  seen.add(message);
  return message.fields.flatMap((field) => {
    if (getOption(field, applicant_data) !== ApplicantData.UNSPECIFIED) return [field];
    return field.message ? markedIn(field.message, seen) : [];
  });
}

/** Returns the marked fields that a method returns. */
const disclosed = ({ name, output }: DescMethod) =>
  markedIn(output).filter((field) => field.name !== LEFT_OUT[name]);

const READS = METHODS.filter((method) => disclosed(method).length > 0);
const ofKind = (method: DescMethod, kind: ApplicantData) =>
  disclosed(method).filter((field) => getOption(field, applicant_data) === kind);

describe('applicant data in responses', () => {
  it('is marked, or ruled out, for every field of every response', () => {
    const unmarked = new Map<string, string>();
    const add = (message: DescMessage) => {
      const name = message.typeName.replace(/^supplier\./, '');
      if (name.startsWith('google.') || unmarked.has(name)) return;
      const fields = message.fields.filter(
        (field) => getOption(field, applicant_data) === ApplicantData.UNSPECIFIED,
      );
      unmarked.set(name, fields.flatMap((field) => (field.message ? [] : [field.name])).join(' '));
      for (const { message: inner } of fields) if (inner) add(inner);
    };
    for (const { output } of METHODS) add(output);
    const withFields = [...unmarked].filter(([, fields]) => fields !== '');
    expect(Object.fromEntries(withFields)).toEqual(NOTHING_OF_APPLICANTS);
  });

  it('needs a purpose in the request', () => {
    const without = READS.filter(({ input }) => {
      const purpose = input.fields.find((field) => field.name === 'purpose');
      return !purpose || getOption(purpose, rules).minLength < 3;
    });
    expect(without.map(({ name }) => name)).toEqual([]);
  });

  it('is marked in how the audit log describes the method, and nothing else is', () => {
    const disclosing = METHODS.filter((method) => getOption(method, audited).discloses);
    expect(new Set(disclosing.map(({ name }) => name))).toEqual(new Set(READS.map(({ name }) => name)));
  });

  it('is for operators, privacy staff and admins only, except in a masked form', () => {
    const open = READS.filter(
      (method) =>
        ofKind(method, ApplicantData.VALUES).length > 0 &&
        getOption(method, access).roles.some((role) => !MAY_SEE_VALUES.includes(role)) &&
        !method.input.fields.some((field) => field.name === 'masked'),
    );
    expect(open.map(({ name }) => name)).toEqual([]);
  });

  it('is left out only by methods that could contain it', () => {
    for (const [name, field] of Object.entries(LEFT_OUT)) {
      const method = METHODS.find((one) => one.name === name);
      expect([name, method && markedIn(method.output).map((one) => one.name)]).toEqual([name, [field]]);
    }
  });

  it('is published as the contracts define it; UPDATE_ROLES=1 writes it', () => {
    const text = readFileSync(page, 'utf8');
    const made = table();
    if (process.env.UPDATE_ROLES === '1') writeFileSync(page, text.replace(TABLE, made));
    expect(TABLE.exec(readFileSync(page, 'utf8'))?.[0]).toBe(made);
  });
});

function table(): string {
  const names = (fields: readonly DescField[]) => fields.map(({ name }) => `\`${name}\``).join(', ');
  const rows = READS.map((method) => [
    method.name,
    names(ofKind(method, ApplicantData.VALUES)),
    names(ofKind(method, ApplicantData.MASKED)),
  ]);
  const heads = ['Method', 'Values', 'Masked'];
  return [heads, heads.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/**
 * The unmarked fields of responses, by message: ids, states, counts, money of suppliers, settings, and texts of staff
 * that must not contain personal data. Before you add one, make sure that no applicant's value can get into it. Messages
 * and times are left out.
 */
const NOTHING_OF_APPLICANTS: Readonly<Record<string, string>> = {
  'account.v1.Account': 'account_id name state permitted_scopes revision',
  'account.v1.Credential': 'credential_id account_id environment public_id scopes',
  'account.v1.IssueCredentialResponse': 'bearer secret_already_shown',
  'account.v1.Limits': 'writes_per_minute reads_per_minute',
  'account.v1.ListAccountsResponse': 'next_page_token',
  'account.v1.ListScheduledTermsResponse': 'next_page_token',
  'account.v1.ListedAccount': 'account_id name state',
  'account.v1.ResolveCredentialResponse': 'secret_hash terms_hold_for_ms',
  'account.v1.ScheduledTerms': 'scheduled_terms_id account_id state purpose',
  'account.v1.TermsLoosening': 'names',
  'approval.v1.Approval':
    'approval_id action target arguments_json purpose state requested_by decided_by refusal_reason requested_issuer decided_issuer reasons sha256',
  'approval.v1.ApprovalLine': 'name before after',
  'approval.v1.CheckApprovalResponse': 'reasons enforced',
  'approval.v1.ListApprovalsResponse': 'next_page_token',
  'audit.v1.AuditEntry':
    'sequence actor issuer roles action target account_id before_json after_json purpose request_id position hash reason target_reference',
  'audit.v1.ListAuditResponse': 'next_page_token',
  'billing.v1.SubmissionLedger': 'submission_id account_id environment',
  'billing.v1.LedgerEntry': 'entry_id kind event_id pence statement_month',
  'billing.v1.ListPricesResponse': 'next_page_token',
  'billing.v1.ModelTotals': 'billing_model',
  'billing.v1.Price': 'billing_model pence currency',
  'billing.v1.SetPriceResponse': 'lines_priced',
  'billing.v1.Statement': 'account_id month currency',
  'billing.v1.StatementLine': 'entry_id submission_id kind billing_model pence net_pence external_reference',
  'billing.v1.StatementTotals': 'charges charged_pence credits credited_pence net_pence unpriced',
  'billing.v1.ValueOfAccount':
    'account_id billable_submissions credits charged_pence credited_pence unpriced',
  'billing.v1.ValueOfPeriod': 'period billable_submissions credits charged_pence credited_pence unpriced',
  'calls.v1.Answer': 'call status headers body set_cookies',
  'common.v1.Billing': 'billing_status billing_model not_billable_reason',
  'common.v1.Caps': 'accepted_per_day accepted_per_month',
  'common.v1.Enrolments': 'arrival_screen document_first',
  'common.v1.Handoff': 'customer_journey_url',
  'common.v1.Return': 'reason_category',
  'common.v1.SubmissionStatus':
    'environment submission_id external_reference level status application_reference',
  'common.v1.Terms': 'billing_model decision_mode application_minting pre_underwriting_failure',
  'common.v1.Thresholds':
    'minimum_funding_amount maximum_funding_amount excluded_sectors minimum_annual_turnover_gbp minimum_trading_duration',
  'common.v1.Violation': 'path message',
  'document.v1.CreateUploadResponse': 'document_id upload_url',
  'document.v1.Document': 'document_id category scan_status',
  'document.v1.DocumentRecord':
    'document_id account_id environment external_reference submission_id category content_type byte_size scan_status scan_reason signature scan_attempts scan_rule scan_part scan_problem scan_advice',
  'document.v1.EraseDocumentsResponse': 'documents_erased objects_left uploads_ended',
  'document.v1.ListWaitingDocumentsResponse': 'next_page_token',
  'document.v1.WaitingDocument':
    'document_id account_id environment external_reference submission_id category content_type byte_size waiting_for age_seconds scan_attempts',
  'reconciliation.v1.Finding': 'kind what target account_id explanation repair count resume_token',
  'submission.v1.Application': 'application_reference submission_id',
  'submission.v1.ApplicationEntry': 'application_reference',
  'submission.v1.BatchRefusal': 'code message',
  'submission.v1.BatchResult': 'submission_id',
  'submission.v1.BillingEntry': 'billing_status not_billable_reason',
  'submission.v1.ContactCorrection': 'revision',
  'submission.v1.CorrectionEntry': 'revision fields',
  'submission.v1.CreateSubmissionResponse': 'created arrival_screen_url',
  'submission.v1.DecidedEntry':
    'decision policy_version rule reason duplicate_of duplicate_key compared_kinds duplicate_account_id duplicate_reference',
  'submission.v1.Decision': 'policy_version rule reason',
  'submission.v1.DryRunChange': 'from to from_rule to_rule count',
  'submission.v1.DryRunExample': 'submission_id from to from_rule to_rule reason',
  'submission.v1.DryRunPolicyResponse':
    'finished total looked_at unchanged unchanged_by_another_rule changed passed_over failed',
  'submission.v1.ErasedSubmission':
    'submission_id account_id environment external_reference next_step waiting_for',
  'submission.v1.Erasure': 'erasure_id state reason requested_by purpose',
  'submission.v1.EventEntry': 'event_id type version change status billing_status request_id',
  'submission.v1.ExchangeJourneyCodeResponse': 'submission_id account_id environment kind',
  'submission.v1.ExportedApplication': 'application_reference',
  'submission.v1.ExportedLink': 'kind',
  'submission.v1.ExportedOperation': 'kind',
  'submission.v1.ExportedSubmission': 'submission_id account_id environment external_reference level status',
  'submission.v1.FindPersonResponse': 'next_page_token',
  'submission.v1.FindSubmissionResponse': 'submission_id',
  'submission.v1.FoundSubmission':
    'submission_id account_id environment external_reference level status held erasure_id matched',
  'submission.v1.GetIntakeResponse': 'decision_p50_ms decision_p95_ms',
  'submission.v1.GetPolicyResponse': 'text',
  'submission.v1.GetRuleEffectResponse': 'decided looked_at complete',
  'submission.v1.GetSubmissionOwnerResponse': 'account_id environment',
  'submission.v1.HoldSubmissionsResponse': 'held_ids',
  'submission.v1.IntakeOfAccount':
    'account_id undecided accepted duplicates rejected returned accepted_today accepted_this_month',
  'submission.v1.IntakeOfDay':
    'day undecided accepted duplicates rejected returned decision_p50_ms decision_p95_ms',
  'submission.v1.JourneyLink': 'kind state',
  'submission.v1.Kept': 'place what why',
  'submission.v1.ClosePendingBillingResponse': 'submission_id',
  'submission.v1.LinkEntry': 'kind number moment',
  'submission.v1.ListAcceptedResponse': 'submission_ids',
  'submission.v1.ListErasuresResponse': 'next_page_token',
  'submission.v1.ListParkedWorkResponse': 'next_page_token',
  'submission.v1.ListPendingBillingResponse': 'next_page_token count count_is_at_least',
  'submission.v1.ListPoliciesResponse': 'next_page_token',
  'submission.v1.ListStatusChangesResponse': 'next_page_token',
  'submission.v1.ListSubmissionsResponse': 'next_page_token',
  'submission.v1.ListedErasure': 'erasure_id state reason requested_by submissions completed submission_ids',
  'submission.v1.ListedSubmission':
    'submission_id account_id environment external_reference level status billing_status application_reference waits_for_staff parked request_id check_contact funding_amount business_sector trading_duration duplicate_of duplicate_account_id duplicate_reference',
  'submission.v1.ParkedEntry': 'attempts failure',
  'submission.v1.ParkedWork': 'submission_id attempts failure',
  'submission.v1.PendingSubmission': 'submission_id account_id environment billing_model',
  'submission.v1.Policy': 'kind version sha256 author note active activated_by',
  'submission.v1.PolicyRule': 'rule condition outcome reason',
  'submission.v1.PolicyViolation': 'rule place message',
  'submission.v1.PreUnderwriting': 'state policy_version reasons close_reason',
  'submission.v1.PreUnderwritingEntry': 'outcome policy_version reasons close_reason compared_kinds',
  'submission.v1.PreviewRetentionResponse': 'count at_least first_ids accepted_days not_accepted_days',
  'submission.v1.QueueLength': 'queue count at_least oldest_age_seconds',
  'submission.v1.ReceivedEntry': 'request_id for_staff no_usable_contact',
  'submission.v1.RecordedChange': 'event_id submission_id account_id environment unpublished',
  'submission.v1.RedeemJourneyLinkResponse': 'kind forward_url code',
  'submission.v1.ReleaseHoldResponse': 'released_ids',
  'submission.v1.ReleaseParkedWorkResponse': 'released_ids',
  'submission.v1.ReleasedWork': 'submission_id outcome',
  'submission.v1.Removed': 'place kind count what',
  'submission.v1.RestateSubmissionResponse': 'event_id',
  'submission.v1.RetentionGroup': 'account_id environment month accepted count',
  'submission.v1.ReturnedEntry': 'reason_category',
  'submission.v1.RuleEffectOfVersion': 'version decided',
  'submission.v1.StaffEntry': 'actor action request_id',
  'submission.v1.SubmissionBilling': 'submission_id account_id environment status external_reference',
  'submission.v1.SubmissionOwner': 'submission_id account_id environment',
  'submission.v1.SubmissionReference': 'account_id environment external_reference',
  'submission.v1.Timeline':
    'submission_id account_id environment external_reference level status billing_model event_count check_contact funding_amount business_sector trading_duration',
  'webhook.v1.Attempt':
    'number status_code error_class key_fingerprint dns_ms connect_ms tls_ms status_ms resolved_ip tls_version answer_erased',
  'webhook.v1.CreateEndpointResponse': 'signing_secret secret_already_shown',
  'webhook.v1.DeliveriesOfDay':
    'day recorded delivered delivered_at_first exhausted expired superseded dropped pending first_attempt_p50_ms first_attempt_p95_ms',
  'webhook.v1.Endpoint': 'endpoint_id account_id environment url enabled key_fingerprint failed_attempts',
  'webhook.v1.EraseDeliveriesResponse': 'events_erased attempts_erased',
  'webhook.v1.Event':
    'event_id submission_id state account_id environment change superseded_by redelivered_as',
  'webhook.v1.GetDeliveryFiguresResponse': 'first_attempt_p50_ms first_attempt_p95_ms',
  'webhook.v1.ListEndpointEventsResponse': 'next_page_token',
  'webhook.v1.ListEndpointsResponse': 'next_page_token',
  'webhook.v1.ListedEndpoint': 'waiting',
  'webhook.v1.PreflightAddress': 'address admitted',
  'webhook.v1.PreflightCertificate': 'subject issuer tls_version fault',
  'webhook.v1.PreflightEndpointResponse': 'ready url key_fingerprint findings',
  'webhook.v1.RedeliverSinceResponse': 'more',
  'webhook.v1.Redelivery': 'submission_id event_id redelivered_event_ids',
  'webhook.v1.RotateSecretResponse': 'signing_secret secret_already_shown',
  'webhook.v1.SendEventNowResponse': 'event_id submission_id attempt_number',
  'webhook.v1.SendPendingEventsResponse': 'events more',
  'webhook.v1.SendTestEventResponse': 'event_id',
};
