import { readFileSync } from 'node:fs';
import { type CelInput, celEnv, parse, plan } from '@bufbuild/cel';
import { create, createRegistry } from '@bufbuild/protobuf';
import { EnquirySchema, file_supplier_common_v1_enquiry } from '@supplier/proto/common/v1/enquiry';
import { file_supplier_common_v1_principal, TermsSchema } from '@supplier/proto/common/v1/principal';
import fc from 'fast-check';
import { conditionClosure, type PolicyInput } from './condition-closure.ts';
import { ConditionInput } from './policy-condition.ts';

const namespace = 'supplier.common.v1';
const registry = createRegistry(file_supplier_common_v1_enquiry, file_supplier_common_v1_principal);
const environment = celEnv({ namespace, registry });
const FACTS = { duplicate: true, accepted_today: 3n, accepted_this_month: 40n, turnover_at_most: 99_999n };
const names = { facts: FACTS, enumNamed: (name: string) => registry.getEnum(`${namespace}.${name}`) };

function closureOf(text: string) {
  const { expr } = parse(text);
  if (!expr) throw new Error('empty');
  return { closure: conditionClosure(expr, names), engine: plan(environment, expr) };
}

const numbers = fc.constantFrom(
  ...['0', '1', '2', '25000', '-1', '9007199254740993', 'facts.accepted_today', 'facts.turnover_at_most'],
  ...['enquiry.funding_amount', 'terms.thresholds.minimum_funding_amount', 'terms.caps.accepted_per_day'],
  ...['enquiry.trading_duration', 'terms.thresholds.minimum_trading_duration', 'enquiry.business_sector'],
  ...['enquiry.credit_screening.unsatisfied_ccj_count', 'enquiry.credit_screening.declared.adverse_credit'],
  'ScreeningResult.SCREENING_RESULT_FAIL',
);
const signs = fc.constantFrom('==', '!=', '<', '<=', '>', '>=');
const { condition } = fc.letrec<{ condition: string }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    fc.tuple(numbers, signs, numbers).map((parts) => parts.join(' ')),
    fc.constantFrom(
      ...['true', 'false', 'facts.duplicate', 'enquiry.marketing', 'has(enquiry.credit_screening)'],
      ...['has(terms.thresholds.minimum_funding_amount)', 'has(terms.caps.accepted_per_day)'],
      ...['has(enquiry.credit_screening.declared.adverse_credit)', 'enquiry.attribution.source == "web"'],
      ...[
        '"mail" != enquiry.attribution.source',
        'has(enquiry.attribution.source)',
        'has(enquiry.marketing)',
      ],
      ...[
        'enquiry.business_sector in terms.thresholds.excluded_sectors',
        'enquiry.trading_duration in [1, 2]',
      ],
    ),
    tie('condition').map((one) => `!(${one})`),
    fc
      .tuple(tie('condition'), fc.constantFrom('&&', '||', '=='), tie('condition'))
      .map(([one, sign, other]) => `(${one}) ${sign} (${other})`),
    fc
      .tuple(tie('condition'), tie('condition'), tie('condition'))
      .map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
  ),
}));

const few = fc.integer({ min: 0, max: 3 });
const enquiries = fc
  .record(
    {
      fundingAmount: fc.constantFrom(0, 1, 25_000),
      businessSector: few,
      tradingDuration: few,
      marketing: fc.boolean(),
      attribution: fc.record({ source: fc.constantFrom('', 'web', 'mail') }),
      creditScreening: fc.record(
        {
          unsatisfiedCcjCount: few,
          companyStatus: few,
          declared: fc.record({ adverseCredit: few }, { requiredKeys: [] }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  )
  .map((init) => create(EnquirySchema, init as object));
const terms = fc
  .record(
    {
      thresholds: fc.record(
        {
          minimumFundingAmount: fc.constantFrom(0, 1, 25_000),
          minimumTradingDuration: few,
          // The last is no sector of this version.
          excludedSectors: fc.array(fc.constantFrom(0, 1, 2, 3, 9_999)),
        },
        { requiredKeys: [] },
      ),
      caps: fc.record({ acceptedPerDay: few }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  )
  .map((init) => create(TermsSchema, init as object));
const inputs = fc.record({ enquiry: enquiries, terms, facts: fc.constant(FACTS) });

const byEngine = (engine: ReturnType<typeof plan>, input: PolicyInput) =>
  engine(new ConditionInput(input).seen as Record<string, CelInput>);

describe('a condition as a function', () => {
  it('holds exactly where the engine says so', () => {
    fc.assert(
      fc.property(condition, fc.array(inputs, { minLength: 3, maxLength: 8 }), (text, several) => {
        const { closure, engine } = closureOf(text);
        for (const input of several)
          expect([text, closure?.(input)]).toEqual([text, byEngine(engine, input)]);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['decision', 'pre-underwriting'])('is what every condition of the %s policy becomes', (name) => {
    const file = new URL(`../../policy/${name}.json`, import.meta.url);
    const { rules }: { rules: { when: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
    for (const { when } of rules) expect([when, typeof closureOf(when).closure]).toEqual([when, 'function']);
  });

  it.each([
    'enquiry.capture_timestamp < timestamp("2026-01-01T00:00:00Z")',
    'enquiry.funding_amount + 1 > 2',
    'enquiry.funding_amount > 1.5',
    'terms.thresholds.excluded_sectors.exists(sector, sector == 1)',
    'size(terms.thresholds.excluded_sectors) == 0',
    'enquiry.trading_duration / 0 == 1',
  ])('is left to the engine where it could fail or is not exact: %s', (text) => {
    expect(closureOf(text).closure).toBeUndefined();
  });
});
