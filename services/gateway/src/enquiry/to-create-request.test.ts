import { create, type DescField, type DescMessage } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { parseTimestamp } from '@supplier/lib/text/time';
import {
  AdverseCredit,
  BusinessSector,
  ContactChannel,
  EnquirySchema,
  ScreeningResult,
  TradingDuration,
} from '@supplier/proto/common/v1/enquiry';
import { Level } from '@supplier/proto/common/v1/status';
import {
  type CreateSubmissionBody,
  createSubmissionSchema,
} from '../routes/create-submission/create-submission.schema.ts';
import { fieldsOf, textWith } from '../testing/body-fields.ts';
import { deliveryBody, fullDeliveryBody } from '../testing/sample-bodies.ts';
import { fullBody, sampleBody } from '../testing/sample-body.ts';
import { toCreateRequest } from './to-create-request.ts';

type Json = Readonly<Record<string, unknown>>;

/** Returns the message fields expected for public JSON, given that a field has the same name on both sides. */
function expected(schema: DescMessage, json: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(json as Json).map(([name, value]) => {
      const field = schema.fields.find((candidate) => candidate.name === name);
      if (!field) throw new Error(`${schema.typeName} has no field ${name}`);
      const read = (item: unknown) => expectedValue(field, item);
      return [field.localName, Array.isArray(value) ? value.map(read) : read(value)];
    }),
  );
}

function expectedValue(field: DescField, value: unknown): unknown {
  if (field.message?.typeName === TimestampSchema.typeName) return parseTimestamp(String(value));
  if (field.message) return expected(field.message, value as Json);
  if (!field.enum) return value;
  const prefix = field.enum.values[0]?.name.replace('UNSPECIFIED', '');
  const wanted = prefix + String(value).toUpperCase().replaceAll('-', '_');
  const known = field.enum.values.find(({ name }) => name === wanted);
  if (!known) throw new Error(`${field.enum.typeName} has no value ${wanted}`);
  return known.number;
}

const fingerprintOf = (body: object) =>
  Buffer.from(toCreateRequest(Level.APPLICATION, { ...sampleBody(), ...body }).bodyFingerprint).toString(
    'hex',
  );

const closedSets = fieldsOf(createSubmissionSchema('screening_provider')).flatMap(({ path, rule }) =>
  rule.enum ? [[path, rule.enum] as const] : [],
);

describe('toCreateRequest', () => {
  it.each([
    ['a full body', fullBody()],
    ['a body with the required fields', sampleBody()],
    ['a full body on the delivery contract', fullDeliveryBody()],
  ])('maps every field of %s to the field of the same name', (_, body) => {
    const { enquiry } = toCreateRequest(Level.APPLICATION, body);
    const { external_reference: _reference, level: _level, ...fields } = body;
    expect(enquiry).toEqual(create(EnquirySchema, expected(EnquirySchema, fields)));
  });

  it.each(closedSets)('maps every value of %s', (path, values) => {
    for (const value of values) {
      const body: CreateSubmissionBody = JSON.parse(textWith(fullBody(), path, JSON.stringify(value)));
      const { external_reference: _reference, level: _level, ...fields } = body;
      const { enquiry } = toCreateRequest(Level.APPLICATION, body);
      expect(enquiry).toEqual(create(EnquirySchema, expected(EnquirySchema, fields)));
    }
  });

  it('sets the reference, the level and a fingerprint of 32 bytes', () => {
    const request = toCreateRequest(Level.BASIC, deliveryBody());
    expect(request).toMatchObject({ externalReference: 'ref-1', level: Level.BASIC });
    expect(request.bodyFingerprint).toHaveLength(32);
  });

  it('converts names, times and numbers', () => {
    const { enquiry } = toCreateRequest(Level.APPLICATION, fullBody());
    expect(enquiry).toMatchObject({
      businessSector: BusinessSector.TECHNOLOGY_MEDIA,
      tradingDuration: TradingDuration.TRADING_DURATION_2_5_YEARS,
      annualTurnoverGbp: 480_000,
      residenceSince: '2019-04',
      marketing: false,
      contactExpectation: {
        channels: [ContactChannel.PHONE, ContactChannel.EMAIL],
        capturedAt: { seconds: BigInt(Date.UTC(2026, 10, 20, 9) / 1000), nanos: 123_456_789 },
      },
      creditScreening: {
        companyStatus: ScreeningResult.PASS,
        unsatisfiedCcjs: ScreeningResult.NOT_CHECKED,
        insolvencyOrWindingUp: ScreeningResult.FAIL,
        declared: { adverseCredit: AdverseCredit.PREVIOUSLY_RESOLVED, overdueFinanceRepayments: false },
      },
    });
  });

  it('leaves omitted fields absent', () => {
    const { enquiry } = toCreateRequest(Level.APPLICATION, sampleBody());
    expect(enquiry).not.toHaveProperty('annualTurnoverGbp');
    expect(enquiry).not.toHaveProperty('homeAddress');
    expect(enquiry?.creditScreening).toBeUndefined();
    expect(enquiry?.companyNumber).toBeUndefined();
  });

  it('gives equal bodies the same fingerprint regardless of key order and spelling', () => {
    const reversed = Object.fromEntries(Object.entries(sampleBody()).reverse());
    const print = fingerprintOf({});
    expect(fingerprintOf(reversed)).toBe(print);
    expect(fingerprintOf(JSON.parse('{"funding_amount":25000.0}'))).toBe(print);
    expect(fingerprintOf(JSON.parse('{"first_name":"\\u0041da"}'))).toBe(print);
  });

  it('gives different bodies different fingerprints', () => {
    const prints = [
      {},
      { first_name: 'ada' },
      { marketing: true },
      { company_number: '1' },
      { attribution: { source: 'other' } },
    ].map(fingerprintOf);
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('uses the SHA-256 of the canonical form of RFC 8785 as the fingerprint', () => {
    // Computed once from the sample body with Python's json and hashlib.
    expect(fingerprintOf({})).toBe('f9eaa1f367d3b3e09354653ea893cd73dcc5a5a794f55c544b92f778804dcd9a');
  });
});
