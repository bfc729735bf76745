import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import { PrincipalSchema } from '@supplier/proto/common/v1/principal';
import { PRINCIPAL_HEADER } from '../rpc-server/caller.ts';

/** Options of a call made on behalf of a supplier; without one, of a call the service makes for itself. */
export function callOptions(principal?: MessageInitShape<typeof PrincipalSchema>): CallOptions {
  if (!principal) return {};
  const bytes = toBinary(PrincipalSchema, create(PrincipalSchema, principal));
  return { headers: { [PRINCIPAL_HEADER]: Buffer.from(bytes).toString('base64url') } };
}
