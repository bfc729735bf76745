import { create, type DescEnum, type DescMessage, type Message } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { type Terms, TermsSchema } from '@supplier/proto/common/v1/principal';
import { FactKind } from '@supplier/proto/submission/v1/timeline';

export interface PolicyInput {
  readonly enquiry: Enquiry;
  readonly terms: Terms;
  readonly facts: Readonly<Record<string, boolean | bigint>>;
}

/** Why a field is hidden from conditions. */
type Hidden = 'identifies' | 'free text';

export type KnownFactKind = Exclude<FactKind, FactKind.UNSPECIFIED>;

/**
 * How conditions may use each field of a message, at every depth. A field added to the proto but not classified here is
 * a compile error. A `label` is text that a condition can only compare with a constant; other text is hidden. A field of
 * the enquiry states its kind, which the timeline shows instead of its value.
 */
type Sights<M extends Message, Shown> = {
  readonly [Name in keyof Required<Omit<M, keyof Message>>]: Name extends keyof M
    ? Sight<NonNullable<M[Name]>, Shown>
    : never;
};
type Sight<Field, Shown> =
  | Hidden
  | (Field extends Timestamp
      ? Shown
      : Field extends Message
        ? Sights<Field, Shown>
        : Field extends string
          ? 'label'
          : Field extends readonly string[] | readonly Message[]
            ? never
            : Shown);

/** The same without the field types; a table describes a nested message. */
export type FieldSight = Hidden | 'value' | KnownFactKind | 'label' | SightTable;
export interface SightTable {
  readonly [localName: string]: FieldSight;
}

const ENQUIRY: Sights<Enquiry, KnownFactKind> = {
  firstName: 'identifies',
  lastName: 'identifies',
  email: 'identifies',
  telephone: 'identifies',
  businessName: 'identifies',
  businessStructure: FactKind.BUSINESS_STRUCTURE,
  businessSector: FactKind.BUSINESS_SECTOR,
  tradingDuration: FactKind.TRADING_DURATION,
  annualTurnoverGbp: FactKind.TURNOVER,
  annualTurnoverRange: FactKind.TURNOVER,
  dateOfBirth: 'identifies',
  homeAddress: 'identifies',
  residenceSince: 'identifies',
  fundingAmount: FactKind.FUNDING_AMOUNT,
  fundingPurpose: FactKind.FUNDING_PURPOSE,
  fundingPurposeDetail: 'free text',
  fundingTimeframe: FactKind.FUNDING_PURPOSE,
  preferredContactMethod: FactKind.CONTACT,
  companyNumber: 'identifies',
  privacyInformation: { provided: FactKind.CONSENT, wordingVersion: 'label', capturedAt: FactKind.CONSENT },
  contactExpectation: {
    permissionStated: FactKind.CONSENT,
    channels: FactKind.CONSENT,
    wordingVersion: 'label',
    capturedAt: FactKind.CONSENT,
  },
  marketing: FactKind.CONSENT,
  creditScreening: {
    provider: 'label',
    checkedAt: FactKind.CREDIT_SCREENING,
    companyStatus: FactKind.CREDIT_SCREENING,
    unsatisfiedCcjs: FactKind.COURT_JUDGMENTS,
    insolvencyOrWindingUp: FactKind.CREDIT_SCREENING,
    unsatisfiedCcjCount: FactKind.COURT_JUDGMENTS,
    declared: {
      adverseCredit: FactKind.DECLARED_FINANCES,
      overdueFinanceRepayments: FactKind.DECLARED_FINANCES,
      existingFinance: FactKind.DECLARED_FINANCES,
      existingFinanceMonthlyRepaymentGbp: FactKind.DECLARED_FINANCES,
      hmrcArrears: FactKind.DECLARED_FINANCES,
      personalGuarantee: FactKind.DECLARED_FINANCES,
    },
  },
  captureTimestamp: FactKind.CAPTURE_TIME,
  attribution: { source: 'label', campaign: 'label', leadCategory: 'label' },
  statedCollectionBasis: { statedBasis: 'free text', wordingVersion: 'label' },
  notes: 'free text',
};

const TERMS: Sights<Terms, 'value'> = {
  billingModel: 'value',
  decisionMode: 'value',
  applicationMinting: 'value',
  preUnderwritingFailure: 'value',
  thresholds: {
    minimumFundingAmount: 'value',
    maximumFundingAmount: 'value',
    excludedSectors: 'value',
    minimumAnnualTurnoverGbp: 'value',
    minimumTradingDuration: 'value',
  },
  caps: { acceptedPerDay: 'value', acceptedPerMonth: 'value' },
  enrolments: { arrivalScreen: 'value', documentFirst: 'value' },
};

/** Reports whether conditions can read a field: only if it is classified so, never by omission. */
export const isSeen = (sight: FieldSight | undefined): sight is Exclude<FieldSight, Hidden> =>
  sight === 'value' || sight === 'label' || typeof sight === 'number' || typeof sight === 'object';

export const ENQUIRY_SIGHTS: SightTable = ENQUIRY;
export const TERMS_SIGHTS: SightTable = TERMS;

/** Returns the maximum length of a list of these values in conditions. */
export const maxInList = ({ values }: DescEnum): number => values.length;

/** Returns an enquiry without identifying fields and free text, and lists without repeats. */
export const seenOfEnquiry = (enquiry: Enquiry): Enquiry => seenOf(EnquirySchema, enquiry, ENQUIRY_SIGHTS);
/** Returns the terms as conditions read them: all of them, lists without repeats. */
export const seenOfTerms = (terms: Terms): Terms => seenOf(TermsSchema, terms, TERMS_SIGHTS);

function seenOf<M extends Message>(schema: DescMessage, message: M, sights: SightTable): M {
  const seen = create(schema) as unknown as Record<string, unknown>;
  const given = message as unknown as Record<string, unknown>;
  for (const field of schema.fields) {
    const sight = sights[field.localName];
    const value = given[field.localName];
    if (value === undefined || !isSeen(sight)) continue;
    if (field.fieldKind === 'list') {
      if (field.listKind === 'enum')
        seen[field.localName] = eachKnownOnce(field.enum, value as readonly number[]);
    } else if (typeof sight === 'object' && field.message)
      seen[field.localName] = seenOf(field.message, value as Message, sight);
    else seen[field.localName] = value;
  }
  return seen as unknown as M;
}

/** Returns each known value of a list once, since repeats would only add cost. */
function eachKnownOnce({ values }: DescEnum, given: readonly number[]): readonly number[] {
  if (given.length === 0) return given;
  const stated = new Set(given);
  return values.map(({ number }) => number).filter((number) => stated.has(number));
}
