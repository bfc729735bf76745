import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { type Limits, LimitsSchema } from '@supplier/proto/account/v1/account';
import {
  ApplicationMinting,
  DecisionMode,
  EnrolmentsSchema,
  PreUnderwritingFailure,
  Scope,
  type Terms,
  TermsSchema,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';

export interface SeededSupplier {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly terms: Terms;
  readonly limits: Limits | undefined;
  /** Whether it has endpoints at the local receiver. */
  readonly webhooks: boolean;
}

const EVERYTHING = [
  Scope.CREATE_BASIC,
  Scope.CREATE_APPLICATION,
  Scope.READ,
  Scope.CORRECT,
  Scope.PROMOTE,
] as const;

/** More than a load test on one machine can send in a minute. */
const UNREACHABLE = 10_000_000;

const ordinary = {
  billingModel: BillingModel.ACCEPTED_SUBMISSION,
  decisionMode: DecisionMode.AUTOMATIC,
  applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
  preUnderwritingFailure: PreUnderwritingFailure.RETURN,
};
const enrolled = create(EnrolmentsSchema, { arrivalScreen: true, documentFirst: true });
const staffed = { decisionMode: DecisionMode.STAFF };
const promoting = {
  billingModel: BillingModel.PRE_UNDERWRITING_CLEARED,
  applicationMinting: ApplicationMinting.ON_PROMOTION,
};

const supplier = (
  name: string,
  terms: MessageInitShape<typeof TermsSchema> = {},
  own: Partial<SeededSupplier> = {},
): SeededSupplier => ({
  ...{ name, scopes: EVERYTHING, limits: undefined, webhooks: true },
  terms: create(TermsSchema, { ...ordinary, enrolments: create(EnrolmentsSchema), ...terms }),
  ...own,
});

export const supplierTable: readonly SeededSupplier[] = [
  supplier(
    'alpha',
    {},
    {
      limits: create(LimitsSchema, { writesPerMinute: UNREACHABLE, readsPerMinute: UNREACHABLE }),
    },
  ),
  supplier('beta', {}, { webhooks: false }),
  supplier('journey', { billingModel: BillingModel.APPLICATION_CREATED, enrolments: enrolled }),
  supplier('staffed', staffed),
  supplier('promoting', promoting),
  supplier('reader', {}, { scopes: [Scope.READ], webhooks: false }),
];

export const supplierNames = supplierTable.map(({ name }) => name);
