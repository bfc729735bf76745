import { fromBinary, type Message } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type Principal, PrincipalSchema } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { type AccountId, type CredentialId, parseId } from '../../text/ids/index.ts';
import { BoundedCache } from './bounded-cache.ts';
import type { SupplierPrincipal } from './caller.ts';

/** A principal has about 200 characters; newer gateways may add fields. */
const MAX_HEADER_CHARACTERS = 4_096;
/** Limit for each list and for all unknown fields: each takes far more memory than its bytes. */
const MAX_ITEMS = 100;
const MAX_CACHE_BYTES = 4 * 1024 * 1024;
const OBJECTS_BYTES = 1_024;
const NUMBER_BYTES = 16;
const UNKNOWN_FIELD_BYTES = 256;

interface ReadPrincipal {
  readonly principal: SupplierPrincipal;
  readonly bytes: number;
}

/** Cache of the principals of admitted calls: a supplier's header stays the same from call to call. */
export const rememberedPrincipals = new BoundedCache<ReadPrincipal>({
  maxBytes: MAX_CACHE_BYTES,
  sizeOf: ({ bytes }) => bytes,
});

/** Reads a principal. Throws INVALID_ARGUMENT. Call `remember` to cache it, for admitted calls only. */
export function readPrincipal(header: string): { principal: SupplierPrincipal; remember: () => void } {
  const known = rememberedPrincipals.get(header);
  if (known) return { principal: known.principal, remember() {} };
  const read = parsePrincipal(header);
  return { principal: read.principal, remember: () => rememberedPrincipals.set(header, read) };
}

function parsePrincipal(header: string): ReadPrincipal {
  const message = header.length <= MAX_HEADER_CHARACTERS ? decode(header) : undefined;
  const accountId = parseId<AccountId>(message?.accountId ?? '');
  const credentialId = parseId<CredentialId>(message?.credentialId ?? '');
  const environment = message?.environment;
  const knownEnvironment = environment === Environment.SANDBOX || environment === Environment.PRODUCTION;
  const { scopes = [], terms } = message ?? {};
  const { thresholds, caps, enrolments } = terms ?? {};
  const sectors = thresholds?.excludedSectors ?? [];
  const unknown = unknownFieldsOf(message, terms, thresholds, caps, enrolments);
  const isBounded = [scopes.length, sectors.length, unknown].every((count) => count <= MAX_ITEMS);
  if (!terms || !accountId || !credentialId || !knownEnvironment || !isBounded) {
    throw new ConnectError('the principal is malformed', Code.InvalidArgument);
  }
  return {
    principal: { accountId, credentialId, environment, scopes, terms },
    bytes:
      OBJECTS_BYTES +
      header.length +
      NUMBER_BYTES * (scopes.length + sectors.length) +
      UNKNOWN_FIELD_BYTES * unknown,
  };
}

function unknownFieldsOf(...messages: (Message | undefined)[]): number {
  return messages.reduce((count, message) => count + (message?.$unknown?.length ?? 0), 0);
}

function decode(header: string): Principal | undefined {
  try {
    // A copy, because unknown fields are views that would retain the buffer pool shared by small buffers.
    return fromBinary(PrincipalSchema, new Uint8Array(Buffer.from(header, 'base64url')));
  } catch {
    return undefined;
  }
}
