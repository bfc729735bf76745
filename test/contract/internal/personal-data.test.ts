import { randomBytes, randomUUID } from 'node:crypto';
import {
  create,
  type DescMessage,
  type DescMethod,
  type DescService,
  getOption,
  type Message,
  toJsonString,
} from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { status } from '@grpc/grpc-js';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { ApplicantData, access, applicant_data } from '@supplier/proto/common/v1/options';
import { ApplicationMinting, PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { newAccount } from '../../harness/accounts.ts';
import { formsOf } from '../../harness/encoded-forms.ts';
import { eventsOf, newEndpoint, type OwnReceiver, startReceiver } from '../../harness/endpoints.ts';
import {
  correction,
  declared,
  delivery,
  fullEnquiry,
  newTelephone,
  screening,
} from '../../harness/enquiries.ts';
import { type GrpcReply, grpcCall, grpcWatch } from '../../harness/grpc.ts';
import { submissionOf } from '../../harness/responses.ts';
import { rpcClient, staff } from '../../harness/rpc.ts';
import type { ServiceName } from '../../harness/stack.ts';
import { createdBasic, decided, type SupplierApi } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';
import { documentOf, finalize, put, requestUpload } from '../../harness/uploads.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const SERVICES: readonly (readonly [ServiceName, readonly DescService[]])[] = [
  ['account', [AccountService, ApprovalService]],
  ['submission', [SubmissionService, PrivacyService, PolicyService, ApprovalService]],
  ['document', [DocumentService]],
  ['billing', [BillingService]],
  ['webhook', [WebhookService]],
];
const METHODS = SERVICES.flatMap(([name, services]) =>
  [...services, AuditService, ReconciliationService].flatMap(({ methods }) =>
    methods.map((method) => [name, method] as const),
  ),
);
const mayCall = (role: string, method: DescMethod) => getOption(method, access).roles.includes(role);
const FOR_VIEWERS = METHODS.filter(([, method]) => mayCall('staff:viewer', method));
const READS = METHODS.filter(
  ([, { input, output }]) => discloses(output) && input.fields.some(({ name }) => name === 'purpose'),
);

/** Reads that are for other roles only and disclose nothing. */
const FURTHER = METHODS.filter(
  (one) =>
    one[1].idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS &&
    mayCall('staff:admin', one[1]) &&
    !FOR_VIEWERS.includes(one) &&
    !READS.includes(one),
);

function discloses(message: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (seen.has(message)) return false;
  seen.add(message);
  return message.fields.some(
    (field) =>
      getOption(field, applicant_data) !== ApplicantData.UNSPECIFIED ||
      (field.message !== undefined && discloses(field.message, seen)),
  );
}

/** These texts and numbers appear in no other run and none of our texts. */
const mark = Array.from(randomBytes(20), (byte) => 'bcdfghjkmnpqrstvwxz'[byte % 19]).join('');
const telephones = [newTelephone(), newTelephone(), newTelephone()];
const TURNOVER = 48_611_337;
const SMALL_TURNOVER = 31_415_927;
const JUDGMENTS = 4_321;
const REPAYMENT = 8_675_309;
const BORN = '1961-03-14';
const soleTrader = (changes: object) =>
  fullEnquiry({
    business_structure: 'sole-trader',
    first_name: `Ada ${mark}`,
    last_name: `${mark} Lovelace`,
    email: `${randomBytes(3).toString('hex')}-${mark}@example.com`,
    business_name: `${mark} Engines`,
    date_of_birth: BORN,
    home_address: {
      address_line_1: `1 ${mark} Street`,
      city: mark,
      postcode: 'LS1 1AA',
      country: 'United Kingdom',
    },
    funding_purpose_detail: `A mill for ${mark}`,
    attribution: { source: mark, campaign: mark, lead_category: mark },
    credit_screening: screening({
      // The count decides, whatever this says.
      unsatisfied_ccjs: 'not_checked',
      unsatisfied_ccj_count: JUDGMENTS,
      declared: declared({
        adverse_credit: 'current',
        existing_finance_monthly_repayment_gbp: REPAYMENT,
        hmrc_arrears: 'without_payment_plan',
      }),
    }),
    ...changes,
  });

const TEXTS = formsOf([mark, BORN, ...telephones.map((number) => number.slice(3))]).texts;
const NUMBERS = [TURNOVER, SMALL_TURNOVER, JUDGMENTS, REPAYMENT].flatMap((number) => [
  String(number),
  number.toLocaleString('en-GB'),
]);
/** Results of screening and declarations, which a policy's text may name. */
const RESULTS =
  /screening_result_|annual_turnover_range_\d|hmrc_arrears_|adverse_credit_|personal_guarantee_/i;

function holdsPersonalData(text: string, method: DescMethod): boolean {
  const lower = text.toLowerCase();
  const words = new Set(text.split(/[^\d,]+/).map((word) => word.replace(/^,|,$/g, '')));
  return (
    TEXTS.some((form) => lower.includes(form.toLowerCase())) ||
    NUMBERS.some((number) => words.has(number)) ||
    (method.parent.name !== 'PolicyService' && RESULTS.test(text))
  );
}

const purpose = `read by a test ${randomUUID()}`;
let api: SupplierApi;
let receiver: OwnReceiver;
let version: string;
/** Fields of requests by name. Every method that can be about a submission is about these. */
let ids: { submission_id: string; document_id?: string; event_id?: string; rule?: string }[];

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.answers = 500;
  const account = await newAccount({
    thresholds: { minimumAnnualTurnoverGbp: 40_000_000 },
    preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF,
    enrolments: { documentFirst: true },
    applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
  });
  await newEndpoint(account.accountId, receiver.url, 'production');
  api = await account.issue({ environment: 'production' });
  const accepted = await decided(
    api,
    soleTrader({ annual_turnover_gbp: TURNOVER, telephone: telephones[0] }),
  );
  expect(accepted.status).toBe('accepted');
  const rejected = await decided(
    api,
    soleTrader({ annual_turnover_gbp: SMALL_TURNOVER, telephone: telephones[1] }),
  );
  expect(rejected.status).toBe('rejected');
  const basic = await createdBasic(api, delivery({ first_name: mark, notes: `Ask for ${mark}` }));
  const corrected = await api.correct(
    basic.submission_id,
    correction({ last_name: mark, telephone: telephones[2] }),
  );
  submissionOf(corrected, 200);
  const bytes = Buffer.from(`date,name\n2026-11-20,${mark}\n`);
  const file = await requestUpload(api, {
    external_reference: accepted.external_reference,
    filename: `${mark}.csv`,
    content_type: 'text/csv',
    byte_size: bytes.length,
  });
  expect((await put(file, { bytes })).status).toBe(200);
  documentOf(await finalize(api, file));
  const [event] = await eventsOf(accepted.submission_id, 'refused', (events) =>
    events.some(({ attempts }) => attempts.some(({ statusCode }) => statusCode === 500)),
  );
  await waitFor('the charge', async () => {
    const { entries } = await staff.billing().getSubmissionLedger({ submissionId: accepted.submission_id });
    if (entries.length === 0) throw new NotYet('no line');
  });
  const active = await rpcClient('submission', PolicyService).getPolicy({ kind: PolicyKind.DECISION });
  version = active.policy?.version ?? '';
  ids = [
    { submission_id: accepted.submission_id, document_id: file.documentId, event_id: event?.eventId ?? '' },
    { submission_id: rejected.submission_id, rule: 'turnover-too-small' },
    { submission_id: basic.submission_id },
  ];
});
afterAll(() => receiver?.close());

/** Returns a request with every field that is known by name. */
function requestOf({ input }: DescMethod, fields: Readonly<Record<string, unknown>>): Message {
  const day = new Date().toISOString().slice(0, 10);
  const known: Readonly<Record<string, unknown>> = {
    account_id: api.accountId,
    environment: Environment.PRODUCTION,
    month: day.slice(0, 7),
    from_day: day,
    until_day: day,
    kind: PolicyKind.DECISION,
    rule: 'accepted',
    since: { seconds: BigInt(Math.floor(Date.now() / 1_000) - 3_600) },
    purpose,
    ...fields,
  };
  const stated = input.fields.flatMap(({ name, localName, fieldKind }) =>
    fieldKind !== 'list' && name in known ? [[localName, known[name]]] : [],
  );
  return create(input, Object.fromEntries(stated));
}

async function answerOf(
  name: ServiceName,
  method: DescMethod,
  role: string,
  fields: Readonly<Record<string, unknown>>,
): Promise<Pick<GrpcReply, 'code' | 'message'> & { readonly text: string }> {
  const bearer = token({ roles: [role], audience: name });
  const request = requestOf(method, fields);
  if (method.methodKind === 'server_streaming') {
    const seen = await grpcWatch(name, method.parent, method.name, request, 1, bearer);
    const text = seen.map((message) => toJsonString(method.output, message)).join();
    return { code: seen.length > 0 ? status.OK : status.UNKNOWN, message: '', text };
  }
  const { code, message, reply } = await grpcCall(name, method.parent, method.name, request, bearer);
  return { code, message, text: reply ? toJsonString(method.output, reply) : '' };
}

describe('a curious viewer', () => {
  it.each(FOR_VIEWERS.map((one) => [one[1].name, ...one] as const))(
    'finds no applicant’s values by %s',
    async (_, name, method) => {
      const isMaskable = method.input.fields.some((field) => field.name === 'masked');
      for (const id of ids)
        for (const masked of isMaskable ? [true, false] : [true]) {
          const { code, message, text } = await answerOf(name, method, 'staff:viewer', { ...id, masked });
          expect(status[code]).toBe(isMaskable && !masked ? 'PERMISSION_DENIED' : 'OK');
          expect({ text, message, isLeak: holdsPersonalData(text + message, method) }).toMatchObject({
            isLeak: false,
          });
          expect(text).not.toContain(Buffer.from(receiver.refusal).toString('base64'));
        }
    },
  );

  it.each(FURTHER.map((one) => [one[1].name, ...one] as const))(
    'would find none by %s with more rights either',
    async (_, name, method) => {
      for (const id of ids) {
        const { message, text } = await answerOf(name, method, 'staff:admin', { ...id, version });
        expect({ text, message, isLeak: holdsPersonalData(text + message, method) }).toMatchObject({
          isLeak: false,
        });
      }
    },
  );

  it('would find them: an admin does, by the methods for that', async () => {
    const [accepted, rejected] = ids;
    const found = async (name: string, id: object = accepted ?? {}) => {
      const [service, method] = READS.find(([, one]) => one.name === name) ?? [];
      if (!service || !method) throw new Error(`there is no ${name}`);
      const { text } = await answerOf(service, method, 'staff:admin', { ...id });
      return holdsPersonalData(text, method);
    };
    expect(await found('ReadEnquiry')).toBe(true);
    expect(await found('ListDocuments')).toBe(true);
    expect(await found('GetDecisionFacts')).toBe(true);
    expect(await found('GetDecisionFacts', rejected)).toBe(true);
  });
});

describe('a read of applicant data', () => {
  it.each(READS.map((one) => [one[1].name, ...one] as const))(
    'by %s is refused to anyone without a purpose',
    async (_, name, method) => {
      const roles = getOption(method, access).roles.filter((role) => role.startsWith('staff:'));
      for (const role of roles)
        for (const none of ['', '  ', ' a '])
          expect(
            status[(await answerOf(name, method, role, { ...ids[0], masked: true, purpose: none })).code],
          ).toBe('INVALID_ARGUMENT');
    },
  );

  // An unscanned document can't be downloaded.
  it.each(
    READS.filter(([, { name }]) => name !== 'DownloadDocument').map((one) => [one[1].name, ...one] as const),
  )('by %s is in the audit log with its purpose', async (_, name, method) => {
    const own = `${purpose} ${method.name}`;
    const role = mayCall('staff:operator', method) ? 'staff:operator' : 'staff:admin';
    const fields = { ...ids[0], purpose: own, telephone: telephones[0] };
    expect(status[(await answerOf(name, method, role, fields)).code]).toBe('OK');
    const { entries } = await rpcClient(name, AuditService).listAudit({ action: method.name });
    expect(entries.filter((entry) => entry.purpose === own)).toMatchObject([{ roles: [role] }]);
    for (const entry of entries.filter((one) => one.purpose === own))
      expect(holdsPersonalData(`${entry.beforeJson}${entry.afterJson}`, method)).toBe(false);
  });
});
