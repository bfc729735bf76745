import {
  type BillingModel,
  type BillingMove,
  type BillingState,
  type BillingTrigger,
  decideBilling,
  type FactKind,
  type LeadFact,
  openingState,
} from './billing-decision.ts';

const MODELS: BillingModel[] = ['accepted_submission', 'application_created', 'pre_underwriting_cleared'];
const TRIGGERS: Record<BillingModel, BillingTrigger> = {
  accepted_submission: 'accepted',
  application_created: 'application_created',
  pre_underwriting_cleared: 'pre_underwriting_cleared',
};
const FACTS: FactKind[] = [
  'accepted',
  'application_created',
  'pre_underwriting_cleared',
  'rejected',
  'duplicate',
  'returned',
  'closed',
];
const AT = new Date('2026-11-20T10:00:00.123Z');
const LATER = new Date('2026-11-21T10:00:00.456Z');

const pending = openingState('production');
const billable: BillingState = { billingStatus: 'billable', billableAt: AT, notBillableReason: null };
const notBillable = (notBillableReason: 'rejected' | 'duplicate' | 'returned' | 'sandbox'): BillingState => ({
  billingStatus: 'not_billable',
  billableAt: null,
  notBillableReason,
});

describe('a lead that nothing has happened to', () => {
  it('is pending in production', () => {
    expect(pending).toEqual({ billingStatus: 'pending', billableAt: null, notBillableReason: null });
  });

  it('is not billable in the sandbox, and nothing moves it', () => {
    const state = openingState('sandbox');
    expect(state).toEqual(notBillable('sandbox'));
    for (const model of MODELS) {
      for (const kind of FACTS) expect(decideBilling(model, state, { kind, at: AT })).toBeUndefined();
    }
  });
});

describe.each(MODELS)('under %s, a pending lead', (model) => {
  it('is charged for when its own fact comes, at that time, and BillingChanged is emitted', () => {
    expect(decideBilling(model, pending, { kind: TRIGGERS[model], at: AT })).toEqual({
      state: billable,
      entry: { kind: 'charge', occurredAt: AT, pricedAt: AT },
      emit: true,
    });
  });

  it.each(MODELS.map((other) => TRIGGERS[other]).filter((kind) => kind !== TRIGGERS[model]))(
    'is not moved by %s',
    (kind) => {
      expect(decideBilling(model, pending, { kind, at: AT })).toBeUndefined();
    },
  );

  it.each(['rejected', 'duplicate'] as const)('becomes not billable when %s, without a line', (kind) => {
    expect(decideBilling(model, pending, { kind, at: AT })).toEqual({
      state: notBillable(kind),
      entry: null,
      emit: true,
    });
  });

  it('becomes not billable when closed, if what it waits for can no longer come', () => {
    const moved = decideBilling(model, pending, { kind: 'closed', at: AT });
    expect(moved).toEqual(
      model === 'pre_underwriting_cleared'
        ? { state: notBillable('rejected'), entry: null, emit: true }
        : undefined,
    );
  });

  it('becomes not billable when staff end its billing, and others learn it', () => {
    expect(decideBilling(model, pending, { kind: 'ended_by_staff', at: AT })).toEqual({
      state: notBillable('rejected'),
      entry: null,
      emit: true,
    });
  });

  it('becomes not billable when returned, without a credit and without an event', () => {
    expect(decideBilling(model, pending, { kind: 'returned', at: AT })).toEqual({
      state: notBillable('returned'),
      entry: null,
      emit: false,
    });
  });
});

describe.each(MODELS)('under %s', (model) => {
  it('a lead that was charged for is credited when returned, without an event', () => {
    expect(decideBilling(model, billable, { kind: 'returned', at: LATER })).toEqual({
      state: notBillable('returned'),
      entry: { kind: 'credit', occurredAt: LATER, pricedAt: AT },
      emit: false,
    });
  });

  it('a lead that was charged for is moved by nothing else', () => {
    for (const kind of FACTS.filter((one) => one !== 'returned')) {
      expect(decideBilling(model, billable, { kind, at: LATER })).toBeUndefined();
    }
  });

  it.each(['rejected', 'duplicate', 'returned'] as const)('a lead that was %s is final', (reason) => {
    for (const kind of FACTS) {
      expect(decideBilling(model, notBillable(reason), { kind, at: LATER })).toBeUndefined();
    }
  });
});

describe.each(MODELS)('under %s, the facts of a returned life', (model) => {
  const life: LeadFact[] = [
    { kind: 'accepted', at: new Date('2026-11-01T00:00:00Z') },
    { kind: 'application_created', at: new Date('2026-11-02T00:00:00Z') },
    { kind: 'pre_underwriting_cleared', at: new Date('2026-11-03T00:00:00Z') },
    { kind: 'returned', at: new Date('2026-11-04T00:00:00Z') },
  ];

  it('end the same in all 2,520 orders in which each comes twice', () => {
    let orders = 0;
    for (const order of ordersOf([...life, ...life])) {
      orders += 1;
      const { state, moves } = live(model, order);
      const charges = moves.filter(({ entry }) => entry?.kind === 'charge');
      const credits = moves.filter(({ entry }) => entry?.kind === 'credit');
      expect(state).toEqual(notBillable('returned'));
      expect(charges.length).toBeLessThanOrEqual(1);
      expect(credits.length).toBe(charges.length);
      expect(moves.filter(({ emit }) => emit).length).toBe(charges.length);
      const returnedAt = order.findIndex(({ kind }) => kind === 'returned');
      const triggeredAt = order.findIndex(({ kind }) => kind === TRIGGERS[model]);
      expect(charges.length).toBe(triggeredAt < returnedAt ? 1 : 0);
    }
    expect(orders).toBe(2_520);
  });

  it('without the return, end in one charge at the time of the fact in all orders', () => {
    const kept = life.filter(({ kind }) => kind !== 'returned');
    const at = kept.find(({ kind }) => kind === TRIGGERS[model])?.at;
    for (const order of ordersOf([...kept, ...kept])) {
      const { state, moves } = live(model, order);
      expect(state).toEqual({ billingStatus: 'billable', billableAt: at, notBillableReason: null });
      expect(moves).toHaveLength(1);
    }
  });
});

function live(model: BillingModel, facts: LeadFact[]): { state: BillingState; moves: BillingMove[] } {
  const moves: BillingMove[] = [];
  let state = pending;
  for (const fact of facts) {
    const move = decideBilling(model, state, fact);
    if (!move) continue;
    moves.push(move);
    state = move.state;
  }
  return { state, moves };
}

/** Every order of `items`, those that only swap equal items once. */
function* ordersOf<Item>(items: Item[]): Generator<Item[]> {
  if (items.length === 0) yield [];
  for (const first of new Set(items)) {
    const rest = items.toSpliced(items.indexOf(first), 1);
    for (const order of ordersOf(rest)) yield [first, ...order];
  }
}
