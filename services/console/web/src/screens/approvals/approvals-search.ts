import { type ApprovalState, ApprovalStateSchema } from '@supplier/proto/approval/v1/approval';
import { approvals } from '../../calls.ts';

export type ApprovingService = keyof typeof approvals;

/** The URL parameters: which approvals are listed, and which one is shown. */
export interface ApprovalsSearch {
  /** Number of a state. 0 lists approvals in any state, and unset lists pending ones. */
  readonly state?: ApprovalState;
  readonly service?: ApprovingService;
  readonly approval?: string;
}

/** Returns the valid parameters of a URL. Anything else is dropped. */
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
