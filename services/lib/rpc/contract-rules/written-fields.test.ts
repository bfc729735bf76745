import { create, type DescField, type DescMessage, getOption, ScalarType } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { access, rules, TextFormat } from '@supplier/proto/common/v1/options';
import { staffContracts } from '../staff-contracts/index.ts';
import { checkMessage } from './index.ts';

/** What people write for others to read, by the last word of a field's name. */
const WRITTEN =
  /(?:^|_)(?:purpose|reason|note|notes|comment|remark|justification|description|name|label|title)$/;
const hasText = (field: DescField) =>
  (field.fieldKind === 'scalar' || (field.fieldKind === 'list' && field.listKind === 'scalar')) &&
  field.scalar === ScalarType.STRING;

/** Returns the text fields of a request that people write, with the messages that contain them. */
function writtenIn(schema: DescMessage, above: readonly DescMessage[] = []): [DescMessage, DescField][] {
  if (above.includes(schema)) return [];
  return schema.fields.flatMap((field) => {
    if (field.fieldKind === 'message' || (field.fieldKind === 'list' && field.listKind === 'message'))
      return writtenIn(field.message as DescMessage, [...above, schema]);
    return hasText(field) && WRITTEN.test(field.name) ? [[schema, field] as [DescMessage, DescField]] : [];
  });
}

const byStaff = Object.values(staffContracts)
  .flat()
  .flatMap(({ methods }) => methods)
  .filter((method) => getOption(method, access).roles.some((role) => role.startsWith('staff:')))
  .flatMap(({ input }) => writtenIn(input));
const fields = [...new Map(byStaff.map((one) => [`${one[0].name}.${one[1].name}`, one]))];

it('every RPC of staff that takes a purpose, a reason or a note is known here', () => {
  expect(fields.map(([name]) => name).sort()).toEqual([
    'ActivatePolicyRequest.purpose',
    'CompletePreUnderwritingRequest.close_reason',
    'CreateAccountRequest.name',
    'DecideSubmissionRequest.reason',
    'DownloadDocumentRequest.purpose',
    'DryRunPolicyRequest.purpose',
    'ExportSubmissionRequest.purpose',
    'FindPersonRequest.purpose',
    'GetApplicationRequest.purpose',
    'GetDecisionFactsRequest.purpose',
    'GetEventRequest.purpose',
    'HoldSubmissionsRequest.purpose',
    'ListDocumentsRequest.purpose',
    'ReadEnquiryRequest.purpose',
    'RefuseRequestRequest.reason',
    'ReleaseHoldRequest.purpose',
    'RequestApprovalRequest.purpose',
    'RequestErasureRequest.purpose',
    'ScheduleTermsRequest.purpose',
    'StorePolicyRequest.note',
  ]);
});

describe.each(fields)('%s', (_, [schema, field]) => {
  const problems = (text: string) => {
    const message = create(schema);
    reflect(schema, message).set(field, text);
    return checkMessage(schema, message)
      .filter(({ path }) => path === field.name)
      .map(({ message: problem }) => problem);
  };

  it('is refused without letters, and with invisible, control or bidirectional characters', () => {
    const { format } = getOption(field, rules);
    expect([TextFormat.REASON, TextFormat.NAME]).toContain(format);
    expect(problems('Case 4711')).toEqual([]);
    for (const text of [
      '...',
      '\u200b\u200b\u200b',
      '\u3164\u3164\u3164',
      '\u2800\u2800\u2800',
      'Case\u202e 4711',
      'Case\n4711',
    ])
      expect([text, problems(text).length]).toEqual([text, 1]);
    if (format === TextFormat.REASON) expect(problems('ok').length).toBe(1);
  });
});
