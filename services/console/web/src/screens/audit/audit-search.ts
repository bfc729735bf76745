import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { timeIn } from '../../dates.ts';

/** The services that have an audit log: every one that staff call. */
export const AUDITED = STAFF_SERVICES;
export type Audited = StaffService;

/** The filters, which are URL parameters. Audit logs contain no personal data. */
export interface AuditSearch {
  readonly service?: Audited;
  readonly target?: string;
  readonly actor?: string;
  readonly action?: string;
  readonly account?: string;
  readonly request?: string;
  /** Times in UTC, as "2026-11-20T09:30". */
  readonly since?: string;
  readonly until?: string;
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

/** Returns the valid filters of a URL. Anything else is dropped. */
export function auditSearch(given: Record<string, unknown>): AuditSearch {
  const service = AUDITED.find((name) => name === given.service);
  return {
    ...(service ? { service } : {}),
    ...words('target', 200, given),
    ...words('actor', 255, given),
    ...words('action', 100, given),
    ...words('account', 36, given),
    ...words('request', 128, given),
    ...time('since', given),
    ...time('until', given),
  };
}

const words = (name: string, longest: number, given: Record<string, unknown>) => {
  const value = given[name];
  return typeof value === 'string' && value !== '' && value.length <= longest ? { [name]: value } : {};
};
const time = (name: string, given: Record<string, unknown>) => {
  const value = given[name];
  return typeof value === 'string' && TIME.test(value) && timeIn(value) ? { [name]: value } : {};
};
