import { readFileSync } from 'node:fs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  AdverseCredit,
  type CreditScreeningSchema,
  HmrcArrears,
  ScreeningResult,
} from '@supplier/proto/common/v1/enquiry';
import { Environment, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { sampleEnquiry } from '../../../testing/sample-enquiry.ts';
import { compilePreUnderwritingPolicy, preUnderwritingOf } from './pre-underwriting-policy.ts';

const text = readFileSync(new URL('../../../policy/pre-underwriting.json', import.meta.url), 'utf8');
const policy = compilePreUnderwritingPolicy(text);
type Screening = MessageInitShape<typeof CreditScreeningSchema>;
const assess = (creditScreening: Screening) =>
  policy.assess(sampleEnquiry({ creditScreening: { provider: 'p', ...creditScreening } })).failure;

describe('pre-underwriting', () => {
  it('clears an enquiry that has no screening or passes it', () => {
    expect(policy.assess(sampleEnquiry())).toEqual({ policyVersion: '2026-11-21', failure: undefined });
    expect(
      assess({ companyStatus: ScreeningResult.PASS, unsatisfiedCcjs: ScreeningResult.NOT_CHECKED }),
    ).toBeUndefined();
    expect(assess({ unsatisfiedCcjs: ScreeningResult.PASS, unsatisfiedCcjCount: 0 })).toBeUndefined();
    expect(assess({ declared: { adverseCredit: AdverseCredit.PREVIOUSLY_RESOLVED } })).toBeUndefined();
    expect(assess({ declared: { hmrcArrears: HmrcArrears.WITH_PAYMENT_PLAN } })).toBeUndefined();
  });

  it.each<[Screening, ReturnReasonCategory]>([
    [{ companyStatus: ScreeningResult.FAIL }, ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT],
    [{ insolvencyOrWindingUp: ScreeningResult.FAIL }, ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT],
    [{ unsatisfiedCcjs: ScreeningResult.FAIL }, ReturnReasonCategory.OUTSTANDING_CCJS],
    [
      { unsatisfiedCcjs: ScreeningResult.NOT_CHECKED, unsatisfiedCcjCount: 1 },
      ReturnReasonCategory.OUTSTANDING_CCJS,
    ],
    [
      { unsatisfiedCcjs: ScreeningResult.PASS, unsatisfiedCcjCount: 2 },
      ReturnReasonCategory.OUTSTANDING_CCJS,
    ],
    [{ declared: { adverseCredit: AdverseCredit.CURRENT } }, ReturnReasonCategory.ADVERSE_CREDIT_PROFILE],
    [{ declared: { overdueFinanceRepayments: true } }, ReturnReasonCategory.WEAK_FINANCIAL_POSITION],
    [
      { declared: { hmrcArrears: HmrcArrears.WITHOUT_PAYMENT_PLAN } },
      ReturnReasonCategory.WEAK_FINANCIAL_POSITION,
    ],
  ])('fails %j with category %i', (screening, category) => {
    expect(assess(screening)?.category).toBe(category);
  });

  it('reports the most serious of several reasons', () => {
    expect(
      assess({ unsatisfiedCcjs: ScreeningResult.FAIL, declared: { overdueFinanceRepayments: true } })
        ?.category,
    ).toBe(ReturnReasonCategory.OUTSTANDING_CCJS);
  });

  it('leaves overdue filings to staff', () => {
    const rules = [{ rule: 'filings', when: 'true', category: 'overdue_filings' }];
    expect(() => compilePreUnderwritingPolicy(JSON.stringify({ version: 'x', rules }))).toThrow();
  });

  it('simulates a return by business name in the sandbox, and never in production', () => {
    const simulated = sampleEnquiry({ businessName: 'Sandbox Return outstanding_ccjs Ltd' });
    expect(preUnderwritingOf(policy, Environment.SANDBOX, simulated)).toEqual({
      policyVersion: 'sandbox',
      failure: { rule: 'simulation', category: ReturnReasonCategory.OUTSTANDING_CCJS },
    });
    const byPolicy = { policyVersion: '2026-11-21', failure: undefined };
    expect(preUnderwritingOf(policy, Environment.PRODUCTION, simulated)).toEqual(byPolicy);
    for (const businessName of ['Sample Trading Ltd', 'Sandbox Accept Ltd'])
      expect(preUnderwritingOf(policy, Environment.SANDBOX, sampleEnquiry({ businessName }))).toEqual(
        byPolicy,
      );
  });
});
