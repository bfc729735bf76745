import { create } from '@bufbuild/protobuf';
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

/** A supplier that every local stack has. */
export interface SeededSupplier {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly terms: Terms;
  readonly limits: Limits | undefined;
  /** Whether events go to the local receiver, from both environments. */
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

interface Departures {
  readonly billingModel?: BillingModel;
  readonly decisionMode?: DecisionMode;
  readonly applicationMinting?: ApplicationMinting;
  readonly enrolled?: boolean;
}

function terms(departures: Departures = {}): Terms {
  const enrolled = departures.enrolled ?? false;
  return create(TermsSchema, {
    billingModel: departures.billingModel ?? BillingModel.ACCEPTED_SUBMISSION,
    decisionMode: departures.decisionMode ?? DecisionMode.AUTOMATIC,
    applicationMinting: departures.applicationMinting ?? ApplicationMinting.ON_ACCEPTANCE,
    preUnderwritingFailure: PreUnderwritingFailure.RETURN,
    enrolments: create(EnrolmentsSchema, { arrivalScreen: enrolled, documentFirst: enrolled }),
  });
}

/** Who is seeded, and how each differs from an ordinary supplier. */
export const supplierTable: readonly SeededSupplier[] = [
  {
    name: 'alpha',
    scopes: EVERYTHING,
    terms: terms(),
    limits: create(LimitsSchema, { writesPerMinute: UNREACHABLE, readsPerMinute: UNREACHABLE }),
    webhooks: true,
  },
  { name: 'beta', scopes: EVERYTHING, terms: terms(), limits: undefined, webhooks: false },
  {
    name: 'journey',
    scopes: EVERYTHING,
    terms: terms({ billingModel: BillingModel.APPLICATION_CREATED, enrolled: true }),
    limits: undefined,
    webhooks: true,
  },
  {
    name: 'staffed',
    scopes: EVERYTHING,
    terms: terms({ decisionMode: DecisionMode.STAFF }),
    limits: undefined,
    webhooks: true,
  },
  {
    name: 'promoting',
    scopes: EVERYTHING,
    terms: terms({
      billingModel: BillingModel.PRE_UNDERWRITING_CLEARED,
      applicationMinting: ApplicationMinting.ON_PROMOTION,
    }),
    limits: undefined,
    webhooks: true,
  },
  { name: 'reader', scopes: [Scope.READ], terms: terms(), limits: undefined, webhooks: false },
];

export const supplierNames = supplierTable.map(({ name }) => name);
