import type { EndpointId } from '@supplier/lib/text/ids';
import { type Capacity, readyEndpoints } from './turns.ts';

const [a, b, c] = ['a', 'b', 'c'] as EndpointId[] as [EndpointId, EndpointId, EndpointId];

/** Returns a capacity of `total` places, at most `each` for one endpoint. */
function capacityOf(total: number, each: number): Capacity {
  let left = total;
  return {
    available: () => left > 0,
    take: () => {
      const slots = Math.min(left, each);
      left -= slots;
      return slots;
    },
  };
}

describe('ready endpoints', () => {
  it('are served in turn when not all can be served together', () => {
    const ready = readyEndpoints();
    for (const id of [a, b, c]) ready.add(id);
    const order: EndpointId[] = [];
    for (let round = 0; round < 6; round += 1) {
      const plan = ready.plan(capacityOf(1, 1), 10);
      for (const { endpointId } of plan.requests) order.push(endpointId);
      plan.served(new Map([[order.at(-1) as EndpointId, 1]]));
    }
    expect(order).toEqual([a, b, c, a, b, c]);
  });

  it('are removed once they yield less than was requested', () => {
    const ready = readyEndpoints();
    ready.add(a);
    ready.add(b);
    const plan = ready.plan(capacityOf(8, 4), 10);
    expect(plan.requests).toEqual([
      { endpointId: a, slots: 4 },
      { endpointId: b, slots: 4 },
    ]);
    plan.served(new Map([[a, 4]]));
    expect(ready.plan(capacityOf(8, 4), 10).requests).toEqual([{ endpointId: a, slots: 4 }]);
  });

  it('are kept when they were added again while being served', () => {
    const ready = readyEndpoints();
    ready.add(a);
    const plan = ready.plan(capacityOf(1, 1), 10);
    ready.add(a);
    plan.served(new Map());
    expect(ready.plan(capacityOf(1, 1), 10).requests).toEqual([{ endpointId: a, slots: 1 }]);
  });

  it('without capacity are skipped and stay in line', () => {
    const ready = readyEndpoints();
    ready.add(a);
    ready.add(b);
    const full: Capacity = { available: () => true, take: (id) => (id === a ? 0 : 2) };
    expect(ready.plan(full, 10).requests).toEqual([{ endpointId: b, slots: 2 }]);
    expect(ready.plan(capacityOf(1, 1), 10).requests).toEqual([{ endpointId: a, slots: 1 }]);
  });

  it('are served in bounded numbers', () => {
    const ready = readyEndpoints();
    for (const id of [a, b, c]) ready.add(id);
    expect(ready.plan(capacityOf(10, 1), 2).requests).toHaveLength(2);
  });
});
