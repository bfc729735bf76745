import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import { PrincipalSchema } from '@supplier/proto/common/v1/principal';
import { PRINCIPAL_HEADER } from '../rpc-server/caller.ts';

/** A supplier principal, encoded for a call header. Encode it once for many calls of the same supplier. */
export type EncodedPrincipal = string & { readonly __brand: 'EncodedPrincipal' };

/** Encodes a principal for `callOptions`. */
export function encodePrincipal(principal: MessageInitShape<typeof PrincipalSchema>): EncodedPrincipal {
  const bytes = toBinary(PrincipalSchema, create(PrincipalSchema, principal));
  return Buffer.from(bytes).toString('base64url') as EncodedPrincipal;
}

/** Returns options for a call on behalf of a supplier or, without a principal, of the service itself. */
export function callOptions(
  principal?: EncodedPrincipal | MessageInitShape<typeof PrincipalSchema>,
): CallOptions {
  if (!principal) return {};
  const encoded = typeof principal === 'string' ? principal : encodePrincipal(principal);
  return { headers: { [PRINCIPAL_HEADER]: encoded } };
}
