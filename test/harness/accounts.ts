import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
  Scope,
  type TermsSchema,
} from '@supplier/proto/common/v1/principal';
import { BillingModel, Environment as EnvironmentCode } from '@supplier/proto/common/v1/status';
import { staff } from './rpc.ts';
import { type Environment, type SupplierApi, supplierApi } from './suppliers.ts';

export type Terms = Exclude<MessageInitShape<typeof TermsSchema>, { $typeName: string }>;

export const ALL_SCOPES: readonly Scope[] = [
  Scope.CREATE_BASIC,
  Scope.CREATE_APPLICATION,
  Scope.READ,
  Scope.CORRECT,
  Scope.PROMOTE,
];

/** Rate limits too high for any test to reach. */
const OUT_OF_REACH = { writesPerMinute: 100_000, readsPerMinute: 100_000 };

/** A test's own account, whose terms, caps and limits no other test shares. */
export interface NewAccount {
  readonly accountId: string;
  /** Has a credential issued and returns an API client that uses it. */
  issue(how?: {
    environment?: Environment;
    scopes?: readonly Scope[];
    expiresAt?: Date;
  }): Promise<SupplierApi & { credentialId: string }>;
}

/** Opens an account on the usual terms merged with `terms`, limited to `permitted`, without a webhook endpoint. */
export async function newAccount(
  terms: Terms = {},
  permitted: readonly Scope[] = ALL_SCOPES,
  limits: { writesPerMinute?: number; readsPerMinute?: number } = OUT_OF_REACH,
  name = `test ${randomUUID()}`,
): Promise<NewAccount> {
  const { accountId } = await staff.account().createAccount({
    name,
    permittedScopes: [...permitted],
    terms: {
      billingModel: BillingModel.ACCEPTED_SUBMISSION,
      decisionMode: DecisionMode.AUTOMATIC,
      applicationMinting: ApplicationMinting.ON_ACCEPTANCE,
      preUnderwritingFailure: PreUnderwritingFailure.RETURN,
      ...terms,
    },
    limits,
  });
  return {
    accountId,
    issue: async ({ environment = 'sandbox', scopes = permitted, expiresAt } = {}) => {
      const issued = await staff.account().issueCredential({
        accountId,
        environment: environment === 'sandbox' ? EnvironmentCode.SANDBOX : EnvironmentCode.PRODUCTION,
        scopes: [...scopes],
        ...(expiresAt && { expiresAt: timestampFromDate(expiresAt) }),
      });
      const api = supplierApi({ name, accountId, environment, credential: issued.bearer });
      return { ...api, credentialId: issued.credential?.credentialId ?? '' };
    },
  };
}

/** Opens a new account on the given terms and returns its API client for one environment. */
export const newSupplier = async (
  terms: Terms = {},
  environment: Environment = 'sandbox',
): Promise<SupplierApi> => (await newAccount(terms)).issue({ environment });
