import { type DescService, getOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt';
import { access } from '@supplier/proto/common/v1/options';
import { runInContext } from '../runtime/request-context/index.ts';
import { newId } from '../text/ids/index.ts';
import type { TestDatabase } from './test-database.ts';

/** Returns the names of the methods that staff may call and that change data, according to the contract. */
export function actionsOfStaff({ methods }: DescService): string[] {
  return methods
    .filter(({ idempotency }) => idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .filter((method) => getOption(method, access).roles.some((role) => role.startsWith('staff:')))
    .map(({ name }) => name);
}

/** Returns the audit entries that `act` creates, found by its request id, oldest first. */
export async function auditedBy(
  { pool }: Pick<TestDatabase, 'pool'>,
  act: () => Promise<unknown>,
): Promise<Record<string, unknown>[]> {
  const requestId = newId();
  await runInContext({ requestId, traceParent: '' }, act);
  const { rows } = await pool.query(
    'SELECT actor, issuer, roles, action, target, purpose, after FROM audit_entry WHERE request_id = $1 ORDER BY sequence',
    [requestId],
  );
  return rows;
}
