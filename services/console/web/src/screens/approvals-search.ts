import { type ApprovalState, ApprovalStateSchema } from '@supplier/proto/approval/v1/approval';
import { approvals } from '../calls.ts';

export type ApprovingService = keyof typeof approvals;

/** Which approvals are listed, and which one is read; all of it stands in the address. */
export interface ApprovalsSearch {
  /** Number of a state; those of any where it is 0, those that wait where it is unset. */
  readonly state?: ApprovalState;
  readonly service?: ApprovingService;
  readonly approval?: string;
}

/** What of an address is meant here; anything else in it is left out. */
export function approvalsSearch(given: Record<string, unknown>): ApprovalsSearch {
  const { service, approval } = given;
  const state = ApprovalStateSchema.values.find(({ number }) => number === given.state)?.number;
  return {
    ...(state === undefined ? {} : { state }),
    ...(isService(service) && typeof approval === 'string' && approval.length === 36
      ? { service, approval }
      : {}),
  };
}

const isService = (name: unknown): name is ApprovingService =>
  typeof name === 'string' && Object.hasOwn(approvals, name);
