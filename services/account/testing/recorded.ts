import { fromBinary } from '@bufbuild/protobuf';
import { AccountChangedSchema, CredentialRevokedSchema } from '@supplier/proto/account/v1/events';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import type { Database } from '../src/db/database.ts';

/** The events told of an account, in the order of telling. */
export async function eventsOf(db: Database, accountId: string) {
  const rows = await db.outbox.findMany({ where: { aggregateId: accountId }, orderBy: { seq: 'asc' } });
  return rows.map(({ envelope }) => {
    const { type, aggregateVersion, requestId, payload } = fromBinary(EventEnvelopeSchema, envelope);
    const schema = type === AccountChangedSchema.typeName ? AccountChangedSchema : CredentialRevokedSchema;
    return {
      type: type.split('.').at(-1),
      aggregateVersion,
      requestId,
      message: fromBinary(schema, payload),
    };
  });
}

/** The audit lines of an account, oldest first. */
export function auditOf(db: Database, accountId: string) {
  return db.auditLog.findMany({ where: { accountId }, orderBy: { sequence: 'asc' } });
}
