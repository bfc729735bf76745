import { type AccountId, type EventId, newId, type SubmissionId } from '@supplier/lib/ids';
import { applyLeadEvents, type LeadChanges } from './apply-lead-events.ts';
import type { BillingModel, LeadFact } from './billing-decision.ts';
import { type Lead, type LeadEvent, type LeadIdentity, openingLeads } from './lead.ts';

const MODELS: BillingModel[] = ['accepted_submission', 'application_created', 'pre_underwriting_cleared'];
const CONTEXT = { requestId: 'request', traceParent: '' };

const identityOf = (billingModel: BillingModel): LeadIdentity => ({
  submissionId: newId<SubmissionId>(),
  accountId: newId<AccountId>(),
  environment: 'production',
  billingModel,
});

const eventOf = (lead: LeadIdentity, version: bigint, kinds: LeadFact['kind'][]): LeadEvent => ({
  id: newId<EventId>(),
  version,
  lead,
  facts: kinds.map((kind, index) => ({ kind, at: new Date(Date.UTC(2026, 10, Number(version), index)) })),
  restatedStatus: null,
  context: CONTEXT,
});

const restatementOf = (lead: LeadIdentity): LeadEvent => ({
  ...eventOf(lead, 9n, ['accepted']),
  restatedStatus: 'pending',
});

/** The events in one set, without the ids that are made again each time. */
function together(events: LeadEvent[]) {
  return outcomeOf(openingLeads(events), [applyLeadEvents(openingLeads(events), events)]);
}

/** The same events in a set each. */
function oneByOne(events: LeadEvent[]) {
  const leads = new Map<SubmissionId, Lead>();
  const changes: LeadChanges[] = [];
  for (const event of events) {
    const stored = leads.get(event.lead.submissionId);
    const [opening] = openingLeads([event]);
    const lead = stored ?? opening;
    if (!lead) throw new Error('no lead for the event');
    const change = applyLeadEvents([lead], [event]);
    const seen = stored && stored.lastSeenVersion > event.version ? stored.lastSeenVersion : event.version;
    leads.set(lead.submissionId, { ...(change.leads[0] ?? lead), lastSeenVersion: seen });
    changes.push(change);
  }
  return outcomeOf([...leads.values()], changes);
}

function outcomeOf(before: Lead[], changes: LeadChanges[]) {
  const leads = new Map(before.map((lead) => [lead.submissionId, lead]));
  for (const lead of changes.flatMap((change) => change.leads)) {
    const lastSeenVersion = leads.get(lead.submissionId)?.lastSeenVersion ?? 0n;
    leads.set(lead.submissionId, { ...lead, lastSeenVersion });
  }
  const stateOf = ({ lastSeenVersion, ...state }: Lead) => state;
  return {
    leads: [...leads.values()].toSorted((a, b) => a.submissionId.localeCompare(b.submissionId)),
    entries: changes.flatMap(({ entries }) =>
      entries.map(({ lead, kind, occurredAt, eventId }) => [lead.submissionId, kind, occurredAt, eventId]),
    ),
    emissions: changes.flatMap(({ emissions }) => emissions.map(({ lead }) => stateOf(lead))),
  };
}

describe('a set of lead events', () => {
  it('ends as its events end one by one, in every order, with a restatement among them', () => {
    let orders = 0;
    for (const model of MODELS) {
      const [one, other] = [identityOf(model), identityOf(model)];
      const events = [
        eventOf(one, 2n, ['accepted', 'application_created']),
        eventOf(one, 3n, ['pre_underwriting_cleared']),
        eventOf(one, 5n, ['returned']),
        restatementOf(one),
        eventOf(other, 2n, ['rejected']),
        restatementOf(other),
      ];
      for (const order of ordersOf(events)) {
        orders += 1;
        expect(together(order)).toEqual(oneByOne(order));
      }
    }
    expect(orders).toBe(3 * 720);
  });

  it('gives each emission the state and the version of its own moment', () => {
    const lead = identityOf('accepted_submission');
    const { leads, emissions } = together([
      eventOf(lead, 2n, ['accepted']),
      restatementOf(lead),
      eventOf(lead, 5n, ['returned']),
    ]);
    expect(emissions).toMatchObject([
      { billingStatus: 'billable', version: 1n },
      { billingStatus: 'billable', version: 2n },
    ]);
    expect(leads).toMatchObject([{ billingStatus: 'not_billable', version: 2n }]);
  });

  it('changes nothing when no event moves its lead', () => {
    const lead = identityOf('pre_underwriting_cleared');
    const events = [eventOf(lead, 1n, []), eventOf(lead, 2n, ['accepted'])];
    expect(applyLeadEvents(openingLeads(events), events)).toEqual({ leads: [], entries: [], emissions: [] });
  });

  it.each([
    ['account', { accountId: newId<AccountId>() }],
    ['environment', { environment: 'sandbox' as const }],
    ['billing model', { billingModel: 'application_created' as const }],
  ])('is refused when an event contradicts the %s of its lead', (_, other) => {
    const lead = identityOf('accepted_submission');
    const events = [eventOf(lead, 1n, []), eventOf({ ...lead, ...other }, 2n, ['accepted'])];
    expect(() => applyLeadEvents(openingLeads(events), events)).toThrow(/differs from its lead/);
  });
});

describe('the opening of leads', () => {
  it('is one for each lead, with the newest version, in any order', () => {
    const [one, other] = [identityOf('accepted_submission'), identityOf('accepted_submission')];
    const events = [eventOf(one, 3n, []), eventOf(other, 1n, []), eventOf(one, 5n, []), eventOf(one, 4n, [])];
    expect(openingLeads(events)).toMatchObject([
      { ...one, lastSeenVersion: 5n, version: 0n, billingStatus: 'pending' },
      { ...other, lastSeenVersion: 1n, version: 0n, billingStatus: 'pending' },
    ]);
  });
});

/** Every order of `items`. */
function* ordersOf<Item>(items: Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const first of items) {
    for (const order of ordersOf(items.filter((item) => item !== first))) yield [first, ...order];
  }
}
