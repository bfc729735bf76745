import { Badge } from '@mantine/core';
import { wholly } from '@supplier/lib/text/visible';
import { type Approval, ApprovalState, ApprovalStateSchema } from '@supplier/proto/approval/v1/approval';
import { enumLabel, uncamel } from '../../format.ts';

const STATE_COLORS = {
  [ApprovalState.UNSPECIFIED]: 'gray',
  [ApprovalState.WAITING]: 'amber',
  [ApprovalState.APPROVED]: 'green',
  [ApprovalState.REFUSED]: 'red',
  [ApprovalState.USED]: 'gray',
  [ApprovalState.EXPIRED]: 'gray',
} as const satisfies Record<ApprovalState, string>;

export const ApprovalBadge = ({ state }: { readonly state: ApprovalState }) => (
  <Badge color={STATE_COLORS[state]}>{enumLabel(ApprovalStateSchema, state)}</Badge>
);

/** Returns the name of the action in words: "Activate policy". */
export const actionName = ({ action }: Approval): string => uncamel(wholly(action));
