import type { ServiceImpl } from '@connectrpc/connect';
import type { KeyRing } from '@supplier/lib/crypto';
import type { EndpointId, SubmissionId } from '@supplier/lib/ids';
import type { Clock } from '@supplier/lib/time';
import type { Handoff } from '@supplier/proto/common/v1/status';
import type { WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Database } from './db/database.ts';
import type { AddressPolicy } from './domain/address-policy.ts';

/** What RPCs and events work with; built once, by main. */
export interface ServiceContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly ring: KeyRing;
  readonly policy: AddressPolicy;
  /** The journey link of a submission that works right now, if it has one. */
  readonly handoffOf: (submissionId: SubmissionId) => Promise<Handoff | undefined>;
  /** Says that the endpoint may have something due. */
  readonly wake: (endpointId: EndpointId) => void;
}

/** The handlers of the service, by name. */
export type Rpcs = ServiceImpl<typeof WebhookService>;
