import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { BusinessSector, TradingDuration } from '@supplier/proto/common/v1/enquiry';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
  type Terms,
  TermsSchema,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';

/** What the local receiver responds to a supplier's webhooks. */
const HEALTHY = 'status=204';
const SLOW = 'status=204&delay_ms=1500';
const FAILING = 'status=503';

export interface SampleSupplier {
  readonly name: string;
  /** Of 100 submissions, how many are its own. */
  readonly share: number;
  /** The share that it sends on the delivery contract. */
  readonly basic: number;
  /** The receiver's response; undefined: no endpoint. */
  readonly webhooks: string | undefined;
  /** Price of a submission. */
  readonly pence: number;
  readonly terms: Terms;
}

const supplier = (
  described: Omit<SampleSupplier, 'terms'>,
  terms: MessageInitShape<typeof TermsSchema> = {},
): SampleSupplier => ({
  ...described,
  terms: create(TermsSchema, {
    billingModel: BillingModel.ACCEPTED_SUBMISSION,
    decisionMode: DecisionMode.AUTOMATIC,
    applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
    preUnderwritingFailure: PreUnderwritingFailure.RETURN,
    ...terms,
  }),
});

export const SAMPLE_SUPPLIERS = {
  harbour: supplier(
    { name: 'Harbour & Finch Broking', share: 28, basic: 0.2, webhooks: HEALTHY, pence: 4_500 },
    { thresholds: { minimumFundingAmount: 7_500 }, caps: { acceptedPerDay: 200, acceptedPerMonth: 3_000 } },
  ),
  lantern: supplier(
    { name: 'Lanternfield Finance', share: 20, basic: 0.3, webhooks: HEALTHY, pence: 9_000 },
    {
      billingModel: BillingModel.APPLICATION_CREATED,
      thresholds: {
        excludedSectors: [BusinessSector.HOSPITALITY, BusinessSector.BEAUTY_WELLNESS],
        minimumTradingDuration: TradingDuration.TRADING_DURATION_1_2_YEARS,
      },
      caps: { acceptedPerDay: 80, acceptedPerMonth: 1_200 },
    },
  ),
  copper: supplier(
    { name: 'Copperbeech Leads', share: 18, basic: 0.4, webhooks: SLOW, pence: 3_800 },
    { decisionMode: DecisionMode.STAFF },
  ),
  tidewell: supplier(
    { name: 'Tidewell Introducers', share: 14, basic: 0.7, webhooks: FAILING, pence: 12_000 },
    {
      billingModel: BillingModel.PRE_UNDERWRITING_CLEARED,
      applicationMinting: ApplicationMinting.ON_PROMOTION,
    },
  ),
  marrow: supplier(
    { name: 'Marrow Lane Capital', share: 12, basic: 0, webhooks: HEALTHY, pence: 6_250 },
    {
      preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF,
      caps: { acceptedPerDay: 30, acceptedPerMonth: 400 },
    },
  ),
  quill: supplier(
    { name: 'Quillstone Partners', share: 8, basic: 0.3, webhooks: undefined, pence: 5_000 },
    { thresholds: { maximumFundingAmount: 150_000 } },
  ),
};

/** Also the prefix of its references, and its path at the receiver. */
export type SupplierName = keyof typeof SAMPLE_SUPPLIERS;
export const supplierNames = Object.keys(SAMPLE_SUPPLIERS) as SupplierName[];
