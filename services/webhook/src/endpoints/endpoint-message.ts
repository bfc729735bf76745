import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import type { EndpointSchema } from '@supplier/proto/webhook/v1/webhook';
import { environmentOf } from '../model/environment.ts';
import type { EndpointRecord } from '../store/endpoints.ts';

/** An endpoint as RPCs return it. */
export function endpointMessage(endpoint: EndpointRecord): MessageInitShape<typeof EndpointSchema> {
  return {
    endpointId: endpoint.endpointId,
    accountId: endpoint.accountId,
    environment: environmentOf(endpoint.environment),
    url: endpoint.url,
    enabled: endpoint.enabled,
    keyFingerprint: endpoint.keyFingerprint,
    createdAt: toTimestamp(endpoint.createdAt),
    ...(endpoint.failingSince ? { failingSince: toTimestamp(endpoint.failingSince) } : {}),
    failedAttempts: endpoint.failedAttempts,
  };
}
