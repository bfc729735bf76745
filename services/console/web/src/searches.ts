import type { DescEnum } from '@bufbuild/protobuf';
import { STAFF_SERVICES } from '@supplier/lib/rpc/staff-contracts';
import { AccountStateSchema } from '@supplier/proto/account/v1/account';
import { ApprovalStateSchema } from '@supplier/proto/approval/v1/approval';
import {
  BillingStatusSchema,
  Environment,
  LevelSchema,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import { QueueSchema } from '@supplier/proto/submission/v1/queues';
import { DeliveryStateSchema } from '@supplier/proto/webhook/v1/webhook';
import { isMonth, thisMonth, timeIn } from './dates.ts';
import { UUID } from './format.ts';
import { lastEnvironment } from './preferences.ts';
import { kindName, POLICY_KINDS } from './screens/policies/policy-kinds.ts';

/** Returns the valid value of a URL parameter, or undefined. */
type Parameter<Value> = (given: unknown) => Value | undefined;
type Parameters = Readonly<Record<string, Parameter<unknown>>>;
type SearchOf<Of extends Parameters> = {
  readonly [Name in keyof Of]?: Exclude<ReturnType<Of[Name]>, undefined>;
};

/** Values for some parameters of a screen, which are not validated yet. */
export type Change<Search> = Readonly<Partial<Record<keyof Search, unknown>>>;

/** Returns a function that returns the valid parameters of a URL. Anything else is dropped. */
const searchOf =
  <Of extends Parameters>(parameters: Of) =>
  (given: Record<string, unknown>): SearchOf<Of> =>
    Object.fromEntries(
      Object.entries(parameters)
        .map(([name, parameter]) => [name, parameter(given[name])] as const)
        .filter(([, value]) => value !== undefined),
    ) as SearchOf<Of>;

const oneOf =
  <const Value extends string | number>(values: readonly Value[]): Parameter<Value> =>
  (given) =>
    values.find((value) => String(value) === String(given));
/** A value of an enum, except UNSPECIFIED. */
const enumOf = (schema: DescEnum): Parameter<number> =>
  oneOf(schema.values.map(({ number }) => number).filter((number) => number > 0));
const several =
  <Value>(parameter: Parameter<Value>): Parameter<readonly Value[]> =>
  (given) => {
    const values = [given].flat().flatMap((one) => parameter(one) ?? []);
    return values.length > 0 ? ([...new Set(values)] as Value[]) : undefined;
  };
const text =
  (isValid: (text: string) => boolean): Parameter<string> =>
  (given) =>
    typeof given === 'string' && isValid(given) ? given : undefined;
const upTo = (longest: number) => text(({ length }) => length > 0 && length <= longest);
const uuid = text((id) => UUID.test(id));
const day = text((given) => /^\d{4}-\d\d-\d\d$/.test(given));
const time = text((given) => /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(given) && timeIn(given) !== undefined);
const pastMonth = text((month) => isMonth(month) && month <= thisMonth());
const environment = oneOf([Environment.SANDBOX, Environment.PRODUCTION]);

/** Ages of pending billing that can be filtered by. */
export const AGES_DAYS = [7, 30, 90] as const;
/** Numbers of days that a report can be about. */
export const SPANS_DAYS = [7, 30, 90] as const;

export type EnvironmentInUrl = Environment.SANDBOX | Environment.PRODUCTION;

/** The URL parameters of all screens. A URL without an environment gets the one that was shown last. */
export const rootSearch = (given: Record<string, unknown>): { readonly environment?: EnvironmentInUrl } => ({
  environment:
    environment(given.environment) ??
    (lastEnvironment.get() === 'sandbox' ? Environment.SANDBOX : Environment.PRODUCTION),
});

// The URL parameters of each screen. They contain no personal data.
export const submissionsSearch = searchOf({
  // Whether submissions of both environments are listed.
  both: oneOf(['yes']),
  status: several(enumOf(StatusSchema)),
  billing: enumOf(BillingStatusSchema),
  queue: several(enumOf(QueueSchema)),
  level: enumOf(LevelSchema),
  account: upTo(128),
  reference: upTo(128),
  // The id of the request that created the submission.
  request: upTo(128),
  // The first and the last day of receipt in UTC.
  since: day,
  until: day,
});
export const findSearch = searchOf({ what: (given) => text(Boolean)(given)?.slice(0, 128) });
export const reportsSearch = searchOf({ days: oneOf(SPANS_DAYS), month: pastMonth, account: uuid });
export const suppliersSearch = searchOf({ name: upTo(200), state: enumOf(AccountStateSchema) });
export const supplierSearch = searchOf({
  tab: oneOf(['terms', 'credentials', 'webhooks', 'events', 'setup']),
  // Of the events.
  states: several(enumOf(DeliveryStateSchema)),
});
export const webhooksSearch = searchOf({ health: oneOf(['failing', 'disabled']) });
export const billingSearch = searchOf({
  // Of the statements. Unset for the present one, or for the latest ones of a supplier.
  month: pastMonth,
  account: uuid,
  // Least age of pending billing.
  pending: oneOf(AGES_DAYS),
});
export const policiesSearch = searchOf({ kind: oneOf(POLICY_KINDS.map(kindName)) });
export const policySearch = searchOf({ tab: oneOf(['rules', 'changes', 'edit']) });
export const approvalsSearch = searchOf({
  // UNSPECIFIED lists approvals in any state, and unset pending ones.
  state: oneOf(ApprovalStateSchema.values.map(({ number }) => number)),
  // The approval that is shown, instead of the list.
  service: oneOf(['account', 'submission']),
  approval: uuid,
});
export const dataRequestsSearch = searchOf({
  tab: oneOf(['request', 'erasures', 'retention']),
  // The erasure whose certificate is shown.
  erasure: uuid,
});
export const auditSearch = searchOf({
  service: oneOf(STAFF_SERVICES),
  target: upTo(200),
  actor: upTo(255),
  action: several(upTo(100)),
  // Only actions that disclose personal data.
  views: oneOf(['personal']),
  account: upTo(36),
  request: upTo(128),
  since: time,
  until: time,
});

export type SubmissionsSearch = ReturnType<typeof submissionsSearch> & ReturnType<typeof rootSearch>;
export type AuditSearch = ReturnType<typeof auditSearch>;
export type SupplierTab = NonNullable<ReturnType<typeof supplierSearch>['tab']>;
