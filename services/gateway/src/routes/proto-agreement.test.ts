import { type DescEnum, type DescField, type DescMessage, getOption, hasOption } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { type FieldRules, rules, TextFormat } from '@supplier/proto/common/v1/options';
import { CreateUploadRequestSchema, FinalizeUploadRequestSchema } from '@supplier/proto/document/v1/document';
import { CreateSubmissionRequestSchema } from '@supplier/proto/submission/v1/create_submission';
import { GetSubmissionByReferenceRequestSchema } from '@supplier/proto/submission/v1/find_submission';
import { PromoteSubmissionRequestSchema } from '@supplier/proto/submission/v1/promote_submission';
import { CorrectContactRequestSchema } from '@supplier/proto/submission/v1/submission';
import type { JsonSchema } from '../openapi/document-types.ts';
import { operations } from '../operations.ts';
import { type BodyField, fieldsOf } from '../testing/body-fields.ts';

const PROVIDER = 'screening_provider';

const MESSAGES: Readonly<Record<string, DescMessage>> = {
  createSubmission: CreateSubmissionRequestSchema,
  createDeliverySubmission: CreateSubmissionRequestSchema,
  promoteSubmission: PromoteSubmissionRequestSchema,
  correctContact: CorrectContactRequestSchema,
  getSubmissionByReference: GetSubmissionByReferenceRequestSchema,
  createUploadUrl: CreateUploadRequestSchema,
  finalizeUpload: FinalizeUploadRequestSchema,
};

/** Messages whose fields are at the top level of the public body. */
const UNWRAPPED = ['enquiry', 'contact'];
/** Not in the body: the path names the submission, and the gateway computes the fingerprint. */
const NOT_IN_THE_BODY = ['submission_id', 'body_fingerprint'];

/** Constraints of a field, in terms common to both sides. */
interface Bounds {
  readonly kind: string;
  readonly min?: number;
  readonly max?: number;
  /** Public names of a closed set, written with '_'. */
  readonly names?: readonly string[];
}

interface ProtoField {
  readonly path: string;
  readonly field: DescField;
  /** Whether the field is required; undefined if operations differ. */
  readonly required: boolean | undefined;
}

function protoFieldsOf(schema: DescMessage, prefix = '', optionalHere = false): ProtoField[] {
  return schema.fields.flatMap((field): ProtoField[] => {
    const path = prefix + field.name;
    if (prefix === '' && NOT_IN_THE_BODY.includes(field.name)) return [];
    if (field.message && UNWRAPPED.includes(path)) return protoFieldsOf(field.message, '', true);
    const own = { path, field, required: optionalHere ? undefined : isRequired(field) };
    const nested = field.message && !isTime(field) ? protoFieldsOf(field.message, `${path}.`) : [];
    return [own, ...nested];
  });
}

const isTime = ({ message }: DescField) => message?.typeName === TimestampSchema.typeName;
const rulesOf = (field: DescField): FieldRules | undefined =>
  hasOption(field, rules) ? getOption(field, rules) : undefined;
/** A scalar or list without a presence rule is always sent; a message or enum only if the rules require it. */
const isRequired = (field: DescField) =>
  field.fieldKind === 'scalar'
    ? !field.proto.proto3Optional
    : field.fieldKind === 'list' || rulesOf(field)?.required === true;

const FORMATS: Readonly<Partial<Record<TextFormat, string>>> = {
  [TextFormat.DATE]: 'calendar-date',
  [TextFormat.MONTH]: 'calendar-month',
  [TextFormat.UUID]: 'uuid',
};
/** Length in characters of a value in each format. */
const FORMAT_LENGTHS: Readonly<Record<string, number>> = {
  'calendar-date': 10,
  'calendar-month': 7,
  uuid: 36,
};

function boundsOfProto(field: DescField): Bounds {
  const declared = rulesOf(field);
  if (isTime(field)) return { kind: 'utc-timestamp' };
  if (field.fieldKind === 'list') return { kind: 'list', min: declared?.minItems ?? 0 };
  if (field.message) return { kind: 'object' };
  if (field.enum) return { kind: 'names', names: namesOf(field.enum) };
  if (!declared) return { kind: 'boolean' };
  if (declared.mustBeTrue) return { kind: 'true' };
  const format = FORMATS[declared.format];
  if (format) return { kind: format, max: declared.maxLength };
  if (declared.maxLength > 0) return { kind: 'text', min: declared.minLength, max: declared.maxLength };
  return { kind: 'whole', min: Number(declared.minimum), max: Number(declared.maximum) };
}

/** Returns, for example, `2_5_years` for `TRADING_DURATION_2_5_YEARS`. */
function namesOf({ values }: DescEnum): string[] {
  const prefix = values[0]?.name.replace(/UNSPECIFIED$/, '') ?? '';
  return values.slice(1).map(({ name }) => name.slice(prefix.length).toLowerCase());
}

function boundsOfPublic(rule: JsonSchema): Bounds {
  const { type, format, minLength, maxLength, minimum, exclusiveMinimum, maximum, minItems } = rule;
  if (rule.const === true) return { kind: 'true' };
  const names = rule.enum ?? (rule.const === undefined ? undefined : [rule.const]);
  if (names) return { kind: 'names', names: names.map((name) => String(name).replaceAll('-', '_')) };
  if (format) {
    const max = FORMAT_LENGTHS[format];
    return max === undefined ? { kind: format } : { kind: format, max };
  }
  if (type === 'string') return { kind: 'text', min: minLength ?? 0, max: maxLength ?? 0 };
  if (type === 'integer')
    return { kind: 'whole', min: minimum ?? (exclusiveMinimum ?? Number.NaN) + 1, max: maximum ?? 0 };
  if (type === 'array') return { kind: 'list', min: minItems ?? 0 };
  return { kind: String(type) };
}

/** Closed sets that the protos leave open: the service accepts any text, and the gateway is stricter. */
const OPEN_IN_THE_PROTO = ['credit_screening.provider', 'content_type'];
/** A single name of the proto's set: each create has its own level. */
const FIXED = ['level'];

const described = operations.map(
  ({ reference: { id, body, query } }) => [id, body?.(PROVIDER) ?? query] as const,
);

describe.each(described.filter(([, schema]) => schema !== undefined))(
  'public schema and proto of %s',
  (id, schema = {}) => {
    const message = MESSAGES[id] ?? EnquirySchema;
    const inProto = new Map(protoFieldsOf(message).map((field) => [field.path, field]));
    const inPublic = fieldsOf(schema).filter(({ path }) => !path.endsWith('.0'));

    it.each(inPublic.map((field) => [field.path, field] as const))(
      'agree on %s',
      (path, field: BodyField) => {
        const other = inProto.get(path);
        if (!other) throw new Error(`the proto has no field ${path}`);
        const open = OPEN_IN_THE_PROTO.includes(path);
        const [mine, theirs] = [boundsOfPublic(field.rule), boundsOfProto(other.field)];
        if (open) expect(theirs.kind).toBe('text');
        if (open) for (const name of mine.names ?? []) expect(within(name, theirs)).toBe(true);
        else if (FIXED.includes(path))
          expect(theirs.names).toEqual(expect.arrayContaining([...(mine.names ?? [])]));
        else expect(mine).toEqual(theirs);
        if (other.required !== undefined) expect(field.required).toBe(other.required);
      },
    );
  },
);

const within = (name: string, { min = 0, max = 0 }: Bounds) => name.length >= min && name.length <= max;

describe('fields of an enquiry', () => {
  const taken = described.flatMap(([, schema]) => (schema ? fieldsOf(schema).map(({ path }) => path) : []));

  it.each(protoFieldsOf(EnquirySchema).map(({ path }) => path))(
    'are all accepted by some operation, including %s',
    (path) => {
      expect(taken).toContain(path);
    },
  );

  it('have the same channels in proto and schema', () => {
    const create = described.find(([id]) => id === 'createSubmission')?.[1] ?? {};
    const item = fieldsOf(create).find(({ path }) => path === 'contact_expectation.channels.0');
    const channels = protoFieldsOf(EnquirySchema).find(({ path }) => path === 'contact_expectation.channels');
    expect(channels?.field.enum && namesOf(channels.field.enum)).toEqual(item?.rule.enum);
  });

  it('can name as many channels in the proto as fit into a body', () => {
    const channels = protoFieldsOf(EnquirySchema).find(({ path }) => path === 'contact_expectation.channels');
    const shortest = '"phone",'.length;
    expect(channels && rulesOf(channels.field)?.maxItems).toBeGreaterThan(65_536 / shortest);
  });
});
