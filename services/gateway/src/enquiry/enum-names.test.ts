import {
  AdverseCreditSchema,
  AnnualTurnoverRangeSchema,
  BusinessSector,
  BusinessSectorSchema,
  BusinessStructureSchema,
  ContactChannelSchema,
  FundingPurposeSchema,
  FundingTimeframeSchema,
  HmrcArrearsSchema,
  PersonalGuaranteeSchema,
  PreferredContactMethodSchema,
  ScreeningResultSchema,
  TradingDurationSchema,
} from '@supplier/proto/common/v1/enquiry';
import { enumReader, publicNames } from './enum-names.ts';
import * as sets from './value-sets.ts';

describe('enumReader', () => {
  it.each([
    [BusinessStructureSchema, '-', sets.BUSINESS_STRUCTURES],
    [BusinessSectorSchema, '-', sets.BUSINESS_SECTORS],
    [TradingDurationSchema, '-', sets.TRADING_DURATIONS],
    [AnnualTurnoverRangeSchema, '-', sets.ANNUAL_TURNOVER_RANGES],
    [FundingPurposeSchema, '-', sets.FUNDING_PURPOSES],
    [FundingTimeframeSchema, '-', sets.FUNDING_TIMEFRAMES],
    [PreferredContactMethodSchema, '-', sets.PREFERRED_CONTACT_METHODS],
    [ContactChannelSchema, '_', sets.CONTACT_CHANNELS],
    [ScreeningResultSchema, '_', sets.SCREENING_RESULTS],
    [AdverseCreditSchema, '_', sets.ADVERSE_CREDIT],
    [HmrcArrearsSchema, '_', sets.HMRC_ARREARS],
    [PersonalGuaranteeSchema, '_', sets.PERSONAL_GUARANTEE],
  ] as const)('knows every public value of %s and no other', (schema, separator, values) => {
    expect(publicNames(schema, separator).map(([name]) => name)).toEqual([...values]);
  });

  it('reads names, and absence as UNSPECIFIED', () => {
    const read = enumReader(BusinessSectorSchema, '-');
    expect(read('motor-trade')).toBe(BusinessSector.MOTOR_TRADE);
    expect(read(undefined)).toBe(BusinessSector.UNSPECIFIED);
    for (const wrong of ['unspecified', 'motor_trade', 'constructor']) expect(() => read(wrong)).toThrow();
  });
});
