import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { ContactCheck } from '@supplier/proto/submission/v1/list_submissions';
import { type EnquiryInit, sampleEnquiry } from '../../testing/sample-enquiry.ts';
import { bitOf, checkContact, contactChecksOf } from './contact-checks.ts';

const RECEIVED = new Date('2026-11-20T10:00:00Z');
const checksOf = (enquiry: EnquiryInit) => contactChecksOf(checkContact(sampleEnquiry(enquiry), RECEIVED));
const at = (time: string) => timestampFromDate(new Date(time));
const { TELEPHONE, EMAIL, NAME, CAPTURE_TIME } = ContactCheck;

describe('checkContact on an unusable contact', () => {
  it.each<[ContactCheck, readonly EnquiryInit[]]>([
    [
      TELEPHONE,
      ['0800-FLOWERS', 'n/a', '0', '12345', '00000000000', '077009001234', ' ', 'call Jo', '+999 123456'].map(
        (telephone) => ({ telephone }),
      ),
    ],
    [
      EMAIL,
      [
        ...[
          'ada@byron',
          'ada',
          '@example.test',
          'ada@',
          'ada@example..test',
          'ada@.test',
          'ada@example.test.',
        ],
        ...['ada@b@example.test', 'ada lovelace@example.test', '.ada@example.test', 'ada.@example.test'],
        ...['ada@-example.test', 'Ada <ada@example.test>', 'ada@example.t', 'ada@127.0.0.1', ' ', 'n/a'],
        `${'a'.repeat(65)}@example.test`,
        `ada@${'a.'.repeat(125)}test`,
        'ada@example.test@example.test',
      ].map((email) => ({ email })),
    ],
    [
      NAME,
      [
        ...['', '   ', '-', '...', '123', '\u00a0', '\u200b', '\u3164', '?'].flatMap((name) => [
          { firstName: name },
          { lastName: name },
        ]),
        ...[' ', '--', '\u2800'].map((businessName) => ({ businessName })),
      ],
    ],
    [
      CAPTURE_TIME,
      [
        { captureTimestamp: at('2027-11-20T10:00:00Z') },
        { captureTimestamp: at('2026-11-20T11:00:01Z') },
        {
          privacyInformation: { provided: true, wordingVersion: 'v', capturedAt: at('2027-11-20T10:00:00Z') },
        },
        {
          contactExpectation: {
            permissionStated: true,
            channels: [1],
            wordingVersion: 'v',
            capturedAt: at('2027-11-20T10:00:00Z'),
          },
        },
      ],
    ],
  ])('returns the check %s', (check, enquiries) => {
    for (const enquiry of enquiries) expect([enquiry, checksOf(enquiry)]).toEqual([enquiry, [check]]);
  });

  it('returns one check for each fault', () => {
    const wrong = {
      telephone: '0',
      email: 'a',
      firstName: ' ',
      captureTimestamp: at('2030-01-01T00:00:00Z'),
    };
    expect(checksOf(wrong)).toEqual([TELEPHONE, EMAIL, NAME, CAPTURE_TIME]);
  });
});

describe('checkContact on a usable contact', () => {
  it('returns no checks when nothing is stated', () => {
    expect(contactChecksOf(checkContact(create(EnquirySchema), RECEIVED))).toEqual([]);
  });

  it.each<EnquiryInit>([
    {},
    { telephone: '+353 87 123 4567' },
    { telephone: '0800 1111' },
    { telephone: 'tel: 07700 900123' },
    { email: 'ada+leads@mail.example.test' },
    { email: 'ada.lovelace@x.example.test' },
    { email: `${'a'.repeat(64)}@${'a.'.repeat(124)}tests` },
    { email: ' ADA@EXAMPLE.TEST ' },
    { email: 'ada@bücher.test' },
    { email: "o'hara@xn--bcher-kva.xn--p1ai" },
    { firstName: 'Ö', lastName: "O'Hara-Smith" },
    { firstName: '明', lastName: 'محمد' },
    { businessName: '118 118' },
    { captureTimestamp: at('2026-11-20T11:00:00Z') },
    { captureTimestamp: at('2020-01-01T00:00:00Z') },
  ])('returns no checks for %j', (enquiry) => {
    expect(checksOf(enquiry)).toEqual([]);
  });
});

it('each check is stored in the bit of its number, so that stored checks keep their meaning', () => {
  expect([TELEPHONE, EMAIL, NAME, CAPTURE_TIME].map(bitOf)).toEqual([1, 2, 4, 8]);
});
