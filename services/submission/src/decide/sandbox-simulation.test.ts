import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { forAllTests } from '@supplier/lib/testing';
import { type AccountId, newId } from '@supplier/lib/text/ids';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
} from '@supplier/proto/common/v1/principal';
import { Environment, Level, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { newCompanyNumber } from '../../testing/sample-enquiry.ts';
import { openTestService, type SubmitOptions } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService());

const returned = (category: keyof typeof ReturnReasonCategory) =>
  [Status.RETURNED, ReturnReasonCategory[category]] as const;
/** Maps each name to the final status of its submission and the reason of its return. */
const PLAYED = [
  ['Sandbox Accept Ltd', Status.ACCEPTED, undefined],
  ['Sandbox Reject Ltd', Status.REJECTED, undefined],
  ['Sandbox Duplicate Ltd', Status.DUPLICATE_NOT_ACCEPTED, undefined],
  ['Sandbox Pending Ltd', Status.RECEIVED, undefined],
  ['Sandbox PU Fail Ltd', ...returned('PRE_UNDERWRITING_CRITERIA_NOT_MET')],
  ['Sandbox Return company_dissolved_or_insolvent Ltd', ...returned('COMPANY_DISSOLVED_OR_INSOLVENT')],
  ['Sandbox Return outstanding_ccjs Ltd', ...returned('OUTSTANDING_CCJS')],
  ['Sandbox Return adverse_credit_profile Ltd', ...returned('ADVERSE_CREDIT_PROFILE')],
  ['Sandbox Return weak_financial_position Ltd', ...returned('WEAK_FINANCIAL_POSITION')],
  ['Sandbox Return overdue_filings Ltd', ...returned('OVERDUE_FILINGS')],
  ['Sandbox Return pre_underwriting_criteria_not_met Ltd', ...returned('PRE_UNDERWRITING_CRITERIA_NOT_MET')],
] as const;

const UNTOUCHED = { enquiry: {} };
/** Terms and customers that would lead to a different result under any other name. */
const KINDS: Readonly<Record<string, Pick<SubmitOptions, 'terms' | 'enquiry'>>> = {
  'the default terms': UNTOUCHED,
  'decisions by staff': { terms: { decisionMode: DecisionMode.STAFF } },
  'Applications on promotion': { terms: { applicationMinting: ApplicationMinting.ON_PROMOTION } },
  'failures left to staff': { terms: { preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF } },
  'a full cap': { terms: { caps: { acceptedPerDay: 1 } } },
  'a threshold that no enquiry meets': { terms: { thresholds: { minimumFundingAmount: 9_999_999 } } },
  'a customer who has been accepted': { enquiry: { companyNumber: newCompanyNumber() } },
  'all of these together': {
    terms: {
      decisionMode: DecisionMode.STAFF,
      applicationMinting: ApplicationMinting.ON_PROMOTION,
      preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF,
      caps: { acceptedPerDay: 1 },
    },
    enquiry: { companyNumber: newCompanyNumber() },
  },
};

describe.each([
  ['basic', Level.BASIC],
  ['application', Level.APPLICATION],
] as const)('simulated business names at level %s', (_, level) => {
  it.each(Object.entries(KINDS))(
    'have the documented result for an account with %s',
    async (_kind, { terms, enquiry }) => {
      const sandbox = { accountId: newId<AccountId>(), environment: Environment.SANDBOX, level } as const;
      const accepted = await service.submit({
        ...sandbox,
        level: Level.BASIC,
        ...(enquiry ? { enquiry } : {}),
      });
      expect(accepted.submission.status).toBe(Status.ACCEPTED);
      const submit = (businessName: string) =>
        service.submit({ ...sandbox, ...(terms ? { terms } : {}), enquiry: { ...enquiry, businessName } });
      const made = await Promise.all(PLAYED.map(([name]) => submit(name)));
      const unavailable = await submit('Sandbox Unavailable Ltd').then(() => undefined, refusalOf);
      expect(unavailable).toMatchObject({ code: RefusalCode.SERVICE_UNAVAILABLE });
      await service.work();
      const ended = await Promise.all(
        made.map(async ({ id }, index) => {
          const row = await service.context.db.submission.findUniqueOrThrow({ where: { id } });
          return [PLAYED[index]?.[0], row.status, row.returnReason ?? undefined];
        }),
      );
      expect(ended).toEqual(PLAYED);
    },
  );
});
