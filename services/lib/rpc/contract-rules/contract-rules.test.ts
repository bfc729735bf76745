import { create, type MessageInitShape, type MessageShape } from '@bufbuild/protobuf';
import {
  type BusinessSector,
  type ContactChannel,
  EnquirySchema,
  ScreeningResult,
} from '@supplier/proto/common/v1/enquiry';
import { Level, Status } from '@supplier/proto/common/v1/status';
import { CreateSubmissionRequestSchema } from '@supplier/proto/submission/v1/create_submission';
import { GetSubmissionRequestSchema } from '@supplier/proto/submission/v1/submission';
import { TimelineEntrySchema } from '@supplier/proto/submission/v1/timeline';
import { checkMessage } from './index.ts';

const pathsOf = (init: MessageInitShape<typeof EnquirySchema>) =>
  checkMessage(EnquirySchema, create(EnquirySchema, init)).map((violation) => violation.path);

describe('checkMessage', () => {
  it('accepts an empty enquiry, because required fields depend on the level', () => {
    expect(pathsOf({})).toEqual([]);
  });

  it('checks only the member of a oneof that is set', () => {
    const decided = (decision: number) =>
      create(TimelineEntrySchema, { what: { case: 'decided', value: { decision: decision as Status } } });
    const paths = (message: MessageShape<typeof TimelineEntrySchema>) =>
      checkMessage(TimelineEntrySchema, message).map(({ path }) => path);
    expect(paths(create(TimelineEntrySchema, {}))).toEqual([]);
    expect(paths(decided(Status.ACCEPTED))).toEqual([]);
    expect(paths(decided(99))).toEqual(['decided.decision']);
  });

  it('counts code points, not UTF-16 units', () => {
    expect(pathsOf({ firstName: '😀'.repeat(100) })).toEqual([]);
    expect(pathsOf({ firstName: '😀'.repeat(101) })).toEqual(['first_name']);
  });

  it.each<[MessageInitShape<typeof EnquirySchema>, string]>([
    [{ firstName: '' }, 'first_name'],
    [{ firstName: 'a\u0000b' }, 'first_name'],
    [{ firstName: '\ud800' }, 'first_name'],
    [{ businessName: 'x' }, 'business_name'],
    [{ fundingAmount: 999 }, 'funding_amount'],
    [{ fundingAmount: 10_000_001 }, 'funding_amount'],
    [{ annualTurnoverGbp: 0 }, 'annual_turnover_gbp'],
    [{ dateOfBirth: '2023-02-29' }, 'date_of_birth'],
    [{ residenceSince: '2023-13' }, 'residence_since'],
    [{ businessSector: 99 as BusinessSector }, 'business_sector'],
    [
      { privacyInformation: { provided: false, wordingVersion: 'v', capturedAt: {} } },
      'privacy_information.provided',
    ],
    [{ privacyInformation: { provided: true, wordingVersion: 'v' } }, 'privacy_information.captured_at'],
    [
      { contactExpectation: { permissionStated: true, wordingVersion: 'v', capturedAt: {} } },
      'contact_expectation.channels',
    ],
    [
      {
        contactExpectation: {
          permissionStated: true,
          wordingVersion: 'v',
          capturedAt: {},
          channels: [1, 9 as ContactChannel],
        },
      },
      'contact_expectation.channels.1',
    ],
    [{ homeAddress: { addressLine1: 'a', city: 'b' } }, 'home_address.postcode'],
  ])('rejects %j and reports the path', (init, path) => {
    expect(pathsOf(init)).toEqual([path]);
  });

  it('requires each screening result to be specified', () => {
    const screening = { provider: 'p', checkedAt: {}, companyStatus: ScreeningResult.PASS };
    expect(pathsOf({ creditScreening: screening })).toEqual([
      'credit_screening.unsatisfied_ccjs',
      'credit_screening.insolvency_or_winding_up',
    ]);
  });

  it('checks required parts, fixed lengths and ids of requests', () => {
    const bad = create(CreateSubmissionRequestSchema, {
      externalReference: 'r',
      bodyFingerprint: new Uint8Array(31),
    });
    expect(checkMessage(CreateSubmissionRequestSchema, bad).map(({ path }) => path)).toEqual([
      'level',
      'enquiry',
      'body_fingerprint',
    ]);
    const good = create(CreateSubmissionRequestSchema, {
      externalReference: 'r',
      level: Level.BASIC,
      enquiry: {},
      bodyFingerprint: new Uint8Array(32),
    });
    expect(checkMessage(CreateSubmissionRequestSchema, good)).toEqual([]);
    const noId = create(GetSubmissionRequestSchema, { submissionId: 'x' });
    expect(checkMessage(GetSubmissionRequestSchema, noId)).toEqual([
      { path: 'submission_id', message: 'must be a UUID' },
    ]);
  });

  it('stops at 50 violations', () => {
    const channels = Array.from({ length: 200 }, () => 9 as ContactChannel);
    expect(
      pathsOf({
        contactExpectation: { permissionStated: true, wordingVersion: 'v', capturedAt: {}, channels },
      }),
    ).toHaveLength(50);
  });
});
