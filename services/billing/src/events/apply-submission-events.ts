import type { AfterCommit } from '@supplier/lib/event-bus';
import type { Clock } from '@supplier/lib/time';
import type { RelayWake } from '@supplier/lib/wakeable';
import type pg from 'pg';
import { saveLeadChanges } from '../db/save-lead-changes.ts';
import { upsertLeads } from '../db/upsert-leads.ts';
import { applyLeadEvents } from '../domain/apply-lead-events.ts';
import { openingLeads } from '../domain/lead.ts';
import { billingChanged } from '../messages/billing-message.ts';
import { readLeadEvent, type SubmissionEvent } from './read-lead-event.ts';

interface Effects {
  readonly clock: Clock;
  /** Called after each commit that has written events to the outbox. */
  readonly wakes: RelayWake;
}

/**
 * Applies a set of the submission service's events in `tx`, in their order, in three statements and two packets however
 * many there are: one opens or finds their leads and locks them until the commit, one shares the ledgers that get lines,
 * one saves what has changed, with the ledger lines and the outbox rows. An event that moves nothing is remembered all the same: billing has its lead then. Implements
 * docs/contract.md, section 6.
 */
export function applySubmissionEvents({ clock, wakes }: Effects) {
  return async (tx: pg.PoolClient, events: readonly SubmissionEvent[]): Promise<AfterCommit | undefined> => {
    const leadEvents = events.map(readLeadEvent);
    const leads = await upsertLeads(tx, openingLeads(leadEvents));
    const changes = applyLeadEvents(leads, leadEvents);
    if (changes.leads.length === 0) return undefined;
    const now = clock.now();
    const emitted = changes.emissions.map((emission) => billingChanged(emission, now));
    const restated = leadEvents.some(({ restatedStatus }) => restatedStatus !== null);
    saveLeadChanges(tx, changes, emitted, restated);
    return emitted.length > 0 ? wakes.relay : undefined;
  };
}
