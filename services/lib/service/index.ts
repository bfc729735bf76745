import type { DescMessage, DescService } from '@bufbuild/protobuf';
import type { ConnectRouter } from '@connectrpc/connect';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import type { Pool } from 'pg';
import type { KeyRing } from '../data/crypto/index.ts';
import { requireKeysInUse } from '../data/key-rotation/index.ts';
import { checkGrants, migrationNames } from '../data/migrations/index.ts';
import { databaseReadiness } from '../data/postgres/index.ts';
import {
  type Bus,
  type ConsumerOptions,
  type EventSigner,
  startConsumer,
} from '../events/event-bus/index.ts';
import { type Relay, startRelay } from '../events/outbox/index.ts';
import { startAuditSealing } from '../governance/audit/index.ts';
import { type Comparison, reconciliationRoutes } from '../governance/reconciliation/index.ts';
import { startRpcServer } from '../rpc/rpc-server/index.ts';
import type { ServiceConfig, ServiceProcess } from '../runtime/service-runtime/index.ts';
import type { Clock } from '../text/time/index.ts';

/** The parts of an internal service. Each has a database, an audit log and RPCs; most publish events. */
export type ServiceParts<Events extends readonly DescMessage[] = readonly DescMessage[]> = OwnParts<Events> &
  (Publishing | Silent);

/** The parts of a service that publishes events. */
interface Publishing {
  /** The stream that outbox events are published to. */
  readonly stream: string;
  /** Authenticates events that its consumers accept only from this service. */
  readonly sign?: EventSigner;
  /** Starts background work, after the relay, and before the service is called or consumes events. */
  readonly start?: (relay: Relay) => void | Promise<void>;
}

/** The parts of a service that publishes no events. */
interface Silent {
  readonly stream?: undefined;
  readonly sign?: undefined;
  /** Starts background work, before the service is called or consumes events. */
  readonly start?: () => void | Promise<void>;
}

interface OwnParts<Events extends readonly DescMessage[]> {
  readonly config: ServiceConfig;
  /** The folder with package.json and prisma/. */
  readonly folder: URL;
  readonly bus: Bus;
  /** Database pool for work that no caller waits for. */
  readonly pool: Pool;
  readonly clock: Clock;
  /** For a clock based on the database: returns whether its time is known. The service is not ready before. */
  readonly clockIsKnown?: () => boolean;
  /** A table of the service that exists once the database is migrated. */
  readonly table: string;
  /** For a service that seals data: the start fails if the ring lacks a key in use. */
  readonly keyRing?: KeyRing;
  /** The events of another service that this one consumes, in the same database unless it names another pool. */
  readonly consumes?: Omit<ConsumerOptions<Events>, 'bus' | 'pool'> & { readonly pool?: Pool };
  /** The comparison to run when staff ask for a reconciliation. */
  readonly compare?: Comparison;
  /** Whether consumers in other processes also keep their failed events in this database. */
  readonly keepsFailedEvents?: boolean;
  readonly services: readonly DescService[];
  readonly routes: (router: ConnectRouter) => void;
}

/**
 * Runs an internal service until its process stops. Resolves once it accepts calls; throws a ConfigError if its ring
 * lacks a key in use. If the database or event bus is unavailable, the start continues, but the service is not ready.
 */
export async function serve<const Events extends readonly DescMessage[]>(
  process: ServiceProcess,
  parts: ServiceParts<Events>,
): Promise<void> {
  const { config, folder, bus, pool, clock, keyRing, consumes, compare } = parts;
  process.log.level = config.logLevel;
  if (keyRing) await requireKeysInUse(process, pool, keyRing);
  checkGrants(process, pool, folder);
  startAuditSealing(process, pool);
  if (parts.stream === undefined) {
    await parts.start?.();
  } else {
    const relay = startRelay(process, {
      ...{ pool, bus, stream: parts.stream, sign: parts.sign },
      publishedDays: config.publishedDays,
    });
    await parts.start?.(relay);
  }
  if (consumes) startConsumer(process, { pool, ...consumes, bus });
  const reconciliation = reconciliationRoutes({
    pool,
    clock,
    ...(compare && { compare }),
    ...(consumes && { consumer: { bus, stream: consumes.stream, consumer: consumes.consumer } }),
    hasOutbox: parts.stream !== undefined,
    keepsFailedEvents: consumes !== undefined || (parts.keepsFailedEvents ?? false),
  });
  await startRpcServer(process, {
    config,
    services: [...parts.services, AuditService, ReconciliationService],
    routes: (router) => {
      parts.routes(router);
      reconciliation(router);
    },
    ready: databaseReadiness(config, process, {
      table: parts.table,
      migrations: migrationNames(folder),
      ...(parts.clockIsKnown && { clockIsKnown: parts.clockIsKnown }),
    }),
  });
}
