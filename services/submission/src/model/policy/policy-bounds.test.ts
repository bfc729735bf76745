import { create, toJsonString } from '@bufbuild/protobuf';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { releaseTexts } from '../../../testing/release-policies.ts';
import { sampleEnquiry } from '../../../testing/sample-enquiry.ts';
import { compileDecisionPolicy } from './decision-policy.ts';
import { UnusablePolicy } from './policy.ts';
import { ALL_KINDS, POLICY_KINDS } from './policy-kinds.ts';
import { seenOfEnquiry } from './seen-by-conditions.ts';

const LAST = { rule: 'rest', when: 'true', outcome: 'accepted', reason: 'No other rule matches.' };
const withConditions = (...conditions: string[]) => {
  const rules = conditions.map((when, n) => ({
    ...LAST,
    rule: `a-${'b'.repeat(n % 50)}${'c'.repeat(n / 50)}`,
    when,
  }));
  return JSON.stringify({ version: 'v1', rules: [...rules, LAST] });
};

function faults(...conditions: string[]): string[] {
  try {
    compileDecisionPolicy(withConditions(...conditions));
    return [];
  } catch (error) {
    if (error instanceof UnusablePolicy) return error.violations.map(({ message }) => message);
    throw error;
  }
}

const FACTS = { duplicate: false, contactChecks: 0, acceptedToday: 0, acceptedThisMonth: 0 };
const terms = create(TermsSchema);

describe('data that identifies a person', () => {
  const IDENTIFYING =
    'first_name last_name email telephone business_name company_number date_of_birth home_address residence_since'.split(
      ' ',
    );

  it.each(IDENTIFYING)('%s is rejected with the name of the field', (field) => {
    expect(faults(`facts.duplicate && has(enquiry.${field})`)).toEqual([
      `A condition must not use enquiry.${field}: it identifies a person.`,
    ]);
  });

  it.each(['funding_purpose_detail', 'notes', 'stated_collection_basis.stated_basis'])(
    '%s is rejected as free text',
    (field) => {
      expect(faults(`has(enquiry.${field})`)).toEqual([
        `A condition must not use enquiry.${field}: it is free text.`,
      ]);
    },
  );

  it.each([
    ['enquiry.last_name == "Sample"', 'it identifies a person'],
    ['enquiry["last_name"] == "Sample"', 'it identifies a person'],
    [
      '{"a": true}[enquiry.first_name + "|" + enquiry.email + enquiry.date_of_birth]',
      'must not construct maps',
    ],
    ['enquiry.home_address.city == "London"', 'must not use enquiry.home_address: it identifies'],
    ['[enquiry].exists(e, e.last_name == "Sample")', 'must not use enquiry as a whole'],
    ['[1].exists(enquiry, enquiry == 1)', 'is already defined'],
    ['"last_name" in enquiry', 'does not accept text and enquiry'],
    ['enquiry.exists(f, f == "last_name")', 'Cannot iterate over enquiry'],
    ['enquiry == Enquiry{last_name: "Sample"}', 'must not construct maps or messages'],
    ['string(enquiry) == "x"', 'must not use "string"'],
    ['dyn(enquiry).last_name == "Sample"', 'must not use "dyn"'],
    ['type(enquiry) == int', 'must not use enquiry as a whole'],
    ['(facts.duplicate ? enquiry : enquiry).last_name == "Sample"', 'must not use enquiry as a whole'],
    ['enquiry[facts.duplicate ? "last_name" : "email"] == "x"', 'Write enquiry.field'],
    ['supplier.common.v1.Enquiry{}.last_name == "x"', 'must not construct maps or messages'],
  ])('is rejected in any form of access: %s', (when, message) => {
    expect(faults(when).join(' ')).toContain(message);
  });

  it.each([
    'enquiry.attribution.campaign < "m"',
    'enquiry.attribution.campaign.startsWith("a")',
    'enquiry.attribution.campaign.matches("^a")',
    'size(enquiry.attribution.campaign) > 3',
    'enquiry.attribution.campaign + "x" == "ax"',
    'int(enquiry.attribution.campaign) > 3',
    '"a" in [enquiry.attribution.campaign]',
  ])("includes a supplier's label, except in comparisons: %s", (when) => {
    expect(faults(when)).toHaveLength(1);
    expect(faults('enquiry.attribution.campaign == "spring"')).toEqual([]);
    expect(faults('enquiry.attribution.source in ["a", "b"]')).toEqual([]);
  });

  it('never reaches the engine', () => {
    const stated = (what: string) => `${what} that is stated`;
    const texts = [...IDENTIFYING, 'notes', 'funding_purpose_detail'].filter(
      (name) => name !== 'home_address',
    );
    const enquiry = create(EnquirySchema, {
      ...Object.fromEntries(
        EnquirySchema.fields.flatMap(({ name, localName }) =>
          texts.includes(name) ? [[localName, stated(name)]] : [],
        ),
      ),
      homeAddress: { addressLine1: stated('line'), city: stated('city'), postcode: stated('postcode') },
      statedCollectionBasis: { statedBasis: stated('basis'), wordingVersion: 'v1' },
      attribution: { source: 'search' },
      fundingAmount: 5_000,
    });
    const seen = seenOfEnquiry(enquiry);
    expect(toJsonString(EnquirySchema, enquiry).match(/that is stated/g)).toHaveLength(14);
    expect(toJsonString(EnquirySchema, seen)).not.toContain('that is stated');
    expect(seen).toMatchObject({
      fundingAmount: 5_000,
      attribution: { source: 'search' },
      statedCollectionBasis: { wordingVersion: 'v1' },
    });
  });
});

describe('a condition that fails', () => {
  it.each([
    ['enquiry.funding_amount * 9223372036854775807 > 0', 'overflow'],
    ['enquiry.funding_amount == 0 || 1 % (enquiry.funding_amount - 5000) > 0', 'division_by_zero'],
    [
      'enquiry.funding_amount == 0 || timestamp("5000-99-99T00:00:00Z") > enquiry.capture_timestamp',
      'invalid_value',
    ],
  ])('reports for %s only the kind %s', (when, kind) => {
    const policy = compileDecisionPolicy(withConditions(when));
    const failing = () => policy.decide(sampleEnquiry({ fundingAmount: 5_000 }), terms, FACTS);
    expect(failing).toThrow(new RegExp(`^the condition of rule a- fails: ${kind}$`));
  });
});

/** Returns a list of this many numbers. */
const upTo = (size: number) => `[${Array.from({ length: size }, (_, n) => n).join(',')}]`;

/** Returns nested lists: each is iterated for every element of the outer one. */
const nested = (depth: number, size: number) => {
  const open = Array.from({ length: depth }, (_, n) => `${upTo(size)}.all(x${n}, `).join('');
  return `${open}true${')'.repeat(depth)}`;
};

describe('the limits of a condition', () => {
  it.each([
    ['lists iterated within lists', nested(6, 9), /steps, more than 2000/],
    ['lists iterated within eight lists', nested(8, 20), /take more than 1000000000 steps/],
    ['nested lists of many elements', nested(2, 90), /steps, more than 2000/],
    [
      'an error for each element of a list',
      `${upTo(100)}.exists(x, 1 / 0 == x) || true`,
      /steps, more than 2000/,
    ],
    [
      'a time that is parsed for each element of a list',
      `${upTo(100)}.exists(x, timestamp("2026-11-20T00:00:00Z") == enquiry.capture_timestamp)`,
      /steps, more than 2000/,
    ],
    [
      'a list that grows',
      `${'[1,2].map(a, '.repeat(9)}1${')'.repeat(9)} == []`,
      /must not use map or filter/,
    ],
    ['a string that doubles', '["x"].map(a, a + a).exists(b, b == "")', /must not use map or filter/],
    ['joined strings', '"x" + "x" == "xx"', /does not accept text and text/],
    [
      'a regular expression that backtracks',
      '"aaaaaaaaaaaaaaaaaaaaaaaaaaaaab".matches("^(a+)+$")',
      /must not use "matches"/,
    ],
    ['brackets within brackets', `${'('.repeat(500)}true${')'.repeat(500)}`, /brackets more than 16 deep/],
    ['brackets that are never closed', '['.repeat(1_000), /brackets more than 16 deep/],
    ['chained conditional expressions', `${'true?false:'.repeat(350)}true`, /more than 400 tokens/],
    ['one that is too long', Array(900).fill('1').join('+'), /more than 400 tokens/],
    ['a long string', `"${'a'.repeat(3_000)}" == ""`, /more than 200 characters/],
    ['brackets within an unterminated string', `r"\\" + ${'('.repeat(90)}"`, /or prefixed string/],
    ['three quotes', `"""${'('.repeat(90)}""" == ""`, /triple-quoted or prefixed string/],
    ['comments', `true //" ${'('.repeat(90)}`, /must not have comments/],
    [
      'dates in zones',
      'enquiry.capture_timestamp.getHours("Europe/London") > 3',
      /"getHours" does not accept/,
    ],
  ])('reject %s', (_what, when, message) => {
    const began = performance.now();
    expect(faults(when).join(' ')).toMatch(message);
    expect(performance.now() - began).toBeLessThan(4_000);
  });

  it('reject a policy whose total exceeds the limit, even if each condition is within its own', () => {
    const much = nested(2, 15);
    expect(faults(much)).toEqual([]);
    expect(faults(...Array(20).fill(much)).join(' ')).toMatch(/All conditions together can take \d+ steps/);
    const long = Array(130).fill('true').join('&&');
    expect(faults(...Array(30).fill(long)).join(' ')).toMatch(/All conditions together have more than 6000/);
  });

  it('allow repeated values from a supplier, which are iterated only once', () => {
    const policy = compileDecisionPolicy(
      withConditions(
        'enquiry.contact_expectation.channels.exists_one(c, c == ContactChannel.CONTACT_CHANNEL_EMAIL)',
      ),
    );
    const channels = Array(32_000).fill(2);
    const enquiry = create(EnquirySchema, {
      contactExpectation: { permissionStated: true, channels, wordingVersion: 'v' },
    });
    expect(policy.decide(enquiry, terms, FACTS).rule).toBe('a-');
  });
});

describe('the limits of a policy', () => {
  it.each(ALL_KINDS)('allow ten times the shipped policy of kind %s', (kind) => {
    const { version, rules } = JSON.parse(releaseTexts()[kind]);
    const names = 'abcdefghij'.split('');
    const often = names.flatMap((name) =>
      rules.map((rule: { rule: string }) => ({ ...rule, rule: `${rule.rule}-${name}` })),
    );
    const last = often.pop();
    const text = { version, rules: [...often.filter(({ when }) => when !== 'true'), last] };
    expect(POLICY_KINDS[kind].read(JSON.stringify(text)).rules.length).toBeGreaterThan(50);
  });

  it('allow a typical policy of a hundred rules', () => {
    const amounts = Array.from(
      { length: 97 },
      (_, n) =>
        `enquiry.funding_amount < ${n}000 && enquiry.business_sector == BusinessSector.BUSINESS_SECTOR_RETAIL_WHOLESALE && facts.accepted_today > ${n}`,
    );
    const sectors =
      'enquiry.business_sector in [BusinessSector.BUSINESS_SECTOR_CONSTRUCTION, BusinessSector.BUSINESS_SECTOR_TRANSPORT, BusinessSector.BUSINESS_SECTOR_RETAIL_WHOLESALE, BusinessSector.BUSINESS_SECTOR_HOSPITALITY, BusinessSector.BUSINESS_SECTOR_EDUCATION]';
    const stale =
      'has(enquiry.credit_screening) && enquiry.capture_timestamp - enquiry.credit_screening.checked_at > duration("2160h")';
    const either =
      'enquiry.contact_expectation.channels.exists(c, c == ContactChannel.CONTACT_CHANNEL_PHONE) ? enquiry.funding_amount < 5000 : enquiry.funding_amount < 9000';
    expect(faults(...amounts, sectors, stale, either)).toEqual([]);
  });
});
