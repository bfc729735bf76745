import type { DescEnum } from '@bufbuild/protobuf';
import {
  BillingStatusSchema,
  EnvironmentSchema,
  LevelSchema,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import { QueueSchema } from '@supplier/proto/submission/v1/queues';

/** The filters, which are URL parameters. Numbers are enum values of the contract. */
export interface SubmissionsSearch {
  /** The environment that the link switches to, or 0 for both. Unset for the one that the shell is set to. */
  readonly environment?: number;
  readonly status?: readonly number[];
  readonly billing?: number;
  readonly queue?: readonly number[];
  readonly level?: number;
  readonly account?: string;
  readonly reference?: string;
  /** The id of the request that created the submission. */
  readonly request?: string;
  /** The first and the last day of receipt in UTC, as "2026-11-20". */
  readonly since?: string;
  readonly until?: string;
}

/** Returns the valid filters of a URL. Anything else is dropped. */
export function submissionsSearch(given: Record<string, unknown>): SubmissionsSearch {
  return {
    ...(given.environment === 0 || given.environment === '0'
      ? { environment: 0 }
      : number('environment', EnvironmentSchema, given)),
    ...numbers('status', StatusSchema, given),
    ...number('billing', BillingStatusSchema, given),
    ...numbers('queue', QueueSchema, given),
    ...number('level', LevelSchema, given),
    ...text('account', given),
    ...text('reference', given),
    ...text('request', given),
    ...day('since', given),
    ...day('until', given),
  };
}

const isValue = (schema: DescEnum, value: number) => value > 0 && schema.value[value] !== undefined;
const number = (name: string, schema: DescEnum, given: Record<string, unknown>) => {
  const value = Number(given[name]);
  return isValue(schema, value) ? { [name]: value } : {};
};
const numbers = (name: string, schema: DescEnum, given: Record<string, unknown>) => {
  const values = [given[name]]
    .flat()
    .map(Number)
    .filter((value) => isValue(schema, value));
  return values.length > 0 ? { [name]: [...new Set(values)] } : {};
};
const text = (name: string, given: Record<string, unknown>) => {
  const value = given[name];
  return typeof value === 'string' && value !== '' && value.length <= 128 ? { [name]: value } : {};
};
const day = (name: string, given: Record<string, unknown>) => {
  const value = given[name];
  return typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value) ? { [name]: value } : {};
};
