import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
  Scope,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';

/** Valid terms with a value in every part. */
export const TERMS = {
  billingModel: BillingModel.APPLICATION_CREATED,
  decisionMode: DecisionMode.AUTOMATIC,
  applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
  preUnderwritingFailure: PreUnderwritingFailure.RETURN,
  thresholds: { minimumFundingAmount: 0, maximumFundingAmount: 50_000 },
  caps: { acceptedPerDay: 10 },
  enrolments: { arrivalScreen: true },
};

export const NEW_ACCOUNT = {
  name: 'Örtlich & Söhne 😀',
  permittedScopes: [Scope.CREATE_APPLICATION, Scope.READ],
  terms: TERMS,
  limits: { writesPerMinute: 10_000_000 },
};
