import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import type { PolicySchema } from '@supplier/proto/submission/v1/policies';
import type { PolicyRow } from './policies.sql.ts';

/** A stored version as answers have it. */
export function policyMessage(row: PolicyRow): MessageInitShape<typeof PolicySchema> {
  return {
    kind: row.kind,
    version: row.version,
    sha256: row.sha256,
    author: row.author,
    note: row.note,
    storedAt: toTimestamp(row.created_at),
    active: row.is_active,
    activatedBy: row.activated_by ?? '',
    ...(row.activated_at && { activatedAt: toTimestamp(row.activated_at) }),
  };
}
