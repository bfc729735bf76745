import { randomUUID } from 'node:crypto';
import { create, type DescField, type DescMessage, getOption } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { GetApplicationRequestSchema } from '@supplier/proto/submission/v1/get_application';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { grpcCall } from '../../harness/grpc.ts';
import { token } from '../../harness/tokens.ts';

/** Fields that hold or may repeat what an applicant submitted. */
const PERSONAL = new Set([
  'supplier.submission.v1.Application.snapshot',
  'supplier.document.v1.DocumentRecord.filename',
  'supplier.webhook.v1.Attempt.answer_head',
  'supplier.common.v1.Enquiry',
  'supplier.submission.v1.Contact',
]);
/** Lists of events omit the response excerpts, which only GetEvent returns. */
const LEFT_OUT = ['ListEvents', 'ListEndpointEvents'];
/** Responses to document actions contain no file name; the response to a ping contains no personal data. */
const ACTS = ['RescanDocument', 'DeleteDocument', 'PreflightEndpoint'];
/** Viewers may read only the masked form: see below, and read-enquiry.test.ts. */
const MASKED = ['ReadEnquiry', 'ListDocuments'];

const SERVICES = [AccountService, SubmissionService, DocumentService, BillingService, WebhookService];
const METHODS = SERVICES.flatMap((service) =>
  service.methods.map((method) => [`${service.typeName}/${method.name}`, method] as const),
);

function holdsPersonalData(message: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (PERSONAL.has(message.typeName)) return true;
  if (seen.has(message)) return false;
  seen.add(message);
  return message.fields.some(
    (field) => PERSONAL.has(`${message.typeName}.${field.name}`) || messageOf(field, holdsPersonalData, seen),
  );
}

function messageOf(field: DescField, test: typeof holdsPersonalData, seen: Set<DescMessage>): boolean {
  return field.message !== undefined && test(field.message, seen);
}

describe('applicants’ data', () => {
  it('is found in the responses that contain it', () => {
    const names = METHODS.filter(([, { output }]) => holdsPersonalData(output)).map(([, { name }]) => name);
    expect(names).toEqual(expect.arrayContaining(['GetApplication', 'ListDocuments', 'GetEvent']));
  });

  it.each(METHODS)('is not shown to viewers by %s', (_name, method) => {
    if (!holdsPersonalData(method.output) || [...LEFT_OUT, ...MASKED].includes(method.name)) return;
    expect(getOption(method, access).roles).not.toContain('staff:viewer');
  });

  it('in an Application is not shown to viewers or billing', async () => {
    const asked = create(GetApplicationRequestSchema, {
      submissionId: randomUUID(),
      purpose: 'read by a test',
    });
    const as = async (role: string) => {
      const bearer = token({ roles: [role], audience: 'submission' });
      const { code } = await grpcCall('submission', SubmissionService, 'GetApplication', asked, bearer);
      return status[code];
    };
    for (const role of ['staff:viewer', 'staff:billing']) expect(await as(role)).toBe('PERMISSION_DENIED');
    for (const role of ['staff:operator', 'staff:privacy', 'staff:admin'])
      expect(await as(role)).toBe('NOT_FOUND');
  });

  it('is not shown to staff by any method without a purpose', () => {
    const purposeless = METHODS.filter(
      ([, { name, input, output }]) =>
        holdsPersonalData(output) &&
        ![...LEFT_OUT, ...ACTS].includes(name) &&
        !input.fields.some((field) => field.name === 'purpose'),
    ).filter(([, method]) => getOption(method, access).roles.some((role) => role.startsWith('staff:')));
    expect(purposeless.map(([name]) => name)).toEqual([]);
  });
});
