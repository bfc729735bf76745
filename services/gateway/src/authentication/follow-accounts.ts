import { fromBinary } from '@bufbuild/protobuf';
import { type Bus, LISTENS_TO } from '@supplier/lib/events/event-bus';
import type { Logger } from '@supplier/lib/runtime/log';
import { type AccountId, parseId } from '@supplier/lib/text/ids';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import type { CredentialCache } from './credential-cache.ts';

/**
 * Forgets an account's credentials as soon as an event reports a change, so that a revocation takes effect immediately.
 * Forgets everything on reconnect, because events may have been missed; until then entries expire by age. A plain
 * subscription suffices: each process has its own cache, whose entries are never older than 30 s.
 */
export function followAccounts(
  bus: Bus,
  cache: Pick<CredentialCache, 'forgetAccount' | 'clear'>,
  log: Logger,
): void {
  let subscribed: ReturnType<Bus['connection']>;
  bus.onConnect(() => {
    cache.clear();
    const connection = bus.connection();
    // A restored connection keeps its subscription.
    if (!connection || connection === subscribed) return;
    subscribed = connection;
    // Covers every event about an account; the event's aggregate is the account.
    connection.subscribe(LISTENS_TO.gateway, {
      callback: (err, message) => {
        const accountId = err ? undefined : accountIn(message.data);
        if (accountId) cache.forgetAccount(accountId);
        else {
          log.warn({ err }, 'account event unreadable; credential cache cleared');
          cache.clear();
        }
      },
    });
  });
}

function accountIn(data: Uint8Array): AccountId | undefined {
  try {
    return parseId<AccountId>(fromBinary(EventEnvelopeSchema, data).aggregateId);
  } catch {
    return undefined;
  }
}
