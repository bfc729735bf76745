import type { DescEnum } from '@bufbuild/protobuf';
import { BillingStatusSchema, EnvironmentSchema, StatusSchema } from '@supplier/proto/common/v1/status';
import { QueueSchema } from '@supplier/proto/submission/v1/queues';

/** The filters, which are URL parameters. Numbers are enum values of the contract. */
export interface SubmissionsSearch {
  readonly environment?: number;
  readonly status?: number;
  readonly billing?: number;
  readonly queue?: number;
  readonly account?: string;
  readonly reference?: string;
  /** The id of the request that created the submission. */
  readonly request?: string;
}

/** Returns the valid filters of a URL. Anything else is dropped. */
export function submissionsSearch(given: Record<string, unknown>): SubmissionsSearch {
  return {
    ...number('environment', EnvironmentSchema, given),
    ...number('status', StatusSchema, given),
    ...number('billing', BillingStatusSchema, given),
    ...number('queue', QueueSchema, given),
    ...words('account', given),
    ...words('reference', given),
    ...words('request', given),
  };
}

const number = (name: string, schema: DescEnum, given: Record<string, unknown>) => {
  const value = Number(given[name]);
  return value > 0 && schema.value[value] ? { [name]: value } : {};
};
const words = (name: string, given: Record<string, unknown>) => {
  const value = given[name];
  return typeof value === 'string' && value !== '' && value.length <= 128 ? { [name]: value } : {};
};
