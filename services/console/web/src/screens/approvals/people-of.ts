import type { Approval } from '@supplier/proto/approval/v1/approval';

/** Names a person with the issuer of their token: the same subject of another issuer is somebody else. */
const personOf = (subject: string, issuer: string) =>
  issuer === '' ? subject : `${subject} (issuer ${issuer})`;

export const requesterOf = ({ requestedBy, requestedIssuer }: Approval): string =>
  personOf(requestedBy, requestedIssuer);

export const deciderOf = ({ decidedBy, decidedIssuer }: Approval): string =>
  personOf(decidedBy, decidedIssuer);
