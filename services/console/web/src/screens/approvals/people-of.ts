import type { Approval } from '@supplier/proto/approval/v1/approval';
import { APPROVALS } from './approvals-texts.ts';

/** Names a person with the issuer of their token: the same subject of another issuer is somebody else. */
export const requesterOf = ({ requestedBy, requestedIssuer }: Approval): string =>
  APPROVALS.person(requestedBy, requestedIssuer);

export const deciderOf = ({ decidedBy, decidedIssuer }: Approval): string =>
  APPROVALS.person(decidedBy, decidedIssuer);
