import type { EndpointId } from '@supplier/lib/text/ids';
import { type Concurrency, DELIVERY_BOUNDS, endpointConcurrency, windowAfter } from './turns.ts';

describe('endpoint window', () => {
  it('returns to one after a failure, and recovers with the next success', () => {
    const failed = windowAfter({ size: 8, health: 'proven' }, false, 8);
    expect(failed).toEqual({ size: 1, health: 'failing' });
    expect(windowAfter(failed, true, 8)).toEqual({ size: 2, health: 'proven' });
  });
});

const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'] as EndpointId[] as [
  EndpointId,
  EndpointId,
  EndpointId,
  EndpointId,
  EndpointId,
];

describe('endpointConcurrency', () => {
  it('increases for an endpoint with its successes, up to the limit per endpoint', () => {
    const concurrency = endpointConcurrency({ total: 100, perEndpoint: 8, failing: 50, unproven: 50 });
    const slots = [concurrency.capacity().take(a)];
    for (let success = 0; success < 5; success += 1) {
      const attempt = concurrency.begin(a);
      attempt.answered(true);
      attempt.finished();
      slots.push(concurrency.capacity().take(a));
    }
    expect(slots).toEqual([1, 2, 4, 8, 8, 8]);
  });

  it('allows an endpoint that failed one attempt at a time', () => {
    const concurrency = endpointConcurrency({ total: 100, perEndpoint: 8, failing: 50, unproven: 50 });
    concurrency.begin(a).answered(true);
    concurrency.begin(a).answered(false);
    expect(concurrency.capacity().take(a)).toBe(1);
    concurrency.begin(a);
    expect(concurrency.capacity().take(a)).toBe(0);
  });

  it('limits the total until outcomes are recorded', () => {
    const concurrency = endpointConcurrency({ total: 2, perEndpoint: 8, failing: 2, unproven: 2 });
    const attempt = concurrency.begin(a);
    attempt.answered(true);
    concurrency.begin(b);
    expect(concurrency.capacity().available()).toBe(false);
    expect(concurrency.capacity().take(c)).toBe(0);
    attempt.finished();
    expect(concurrency.capacity().take(c)).toBe(1);
  });

  it('reserves places for working endpoints when many fail', () => {
    const concurrency = endpointConcurrency({ total: 3, perEndpoint: 8, failing: 1, unproven: 2 });
    for (const id of [a, b]) {
      const attempt = concurrency.begin(id);
      attempt.answered(false);
      attempt.finished();
    }
    const capacity = concurrency.capacity();
    expect([capacity.take(a), capacity.take(b), capacity.take(c)]).toEqual([1, 0, 1]);
    concurrency.begin(a);
    expect(concurrency.capacity().take(b)).toBe(0);
    expect(concurrency.capacity().take(c)).toBe(1);
  });

  it('reserves places for working endpoints when many are new', () => {
    const concurrency = endpointConcurrency({ total: 3, perEndpoint: 8, failing: 1, unproven: 2 });
    prove(concurrency, a);
    const capacity = concurrency.capacity();
    expect([capacity.take(b), capacity.take(c), capacity.take(d), capacity.take(a)]).toEqual([1, 1, 0, 1]);
  });

  it('gives one endpoint at most an eighth of the free places, and every endpoint at least one', () => {
    const concurrency = endpointConcurrency({ total: 32, perEndpoint: 64, failing: 8, unproven: 16 });
    for (const id of [a, b, c, d]) for (let success = 0; success < 6; success += 1) prove(concurrency, id);
    const taken = [a, b, c, d].map((id) => {
      const slots = concurrency.capacity().take(id);
      for (let started = 0; started < slots; started += 1) concurrency.begin(id);
      return slots;
    });
    expect(taken).toEqual([4, 3, 3, 2]);
    expect(concurrency.capacity().take(a)).toBe(0);
    expect(concurrency.capacity().take(e)).toBe(1);
  });

  it('leaves a quarter of all places free when twenty busy endpoints start to hang together', () => {
    const concurrency = endpointConcurrency(DELIVERY_BOUNDS);
    const ids = Array.from({ length: 20 }, (_, index) => `busy ${index}` as EndpointId);
    for (const id of ids) for (let success = 0; success < 20; success += 1) prove(concurrency, id);
    let held = 0;
    for (let started = true; started; ) {
      started = false;
      for (const id of ids) {
        if (concurrency.capacity().take(id) === 0) continue;
        concurrency.begin(id);
        held += 1;
        started = true;
      }
    }
    expect(held / DELIVERY_BOUNDS.total).toBeLessThan(0.75);
  });

  it('leaves most places free when the only busy endpoint starts to hang', () => {
    const { total, perEndpoint } = DELIVERY_BOUNDS;
    const concurrency = endpointConcurrency(DELIVERY_BOUNDS);
    for (let success = 0; success < 20; success += 1) prove(concurrency, a);
    for (let slots = concurrency.capacity().take(a); slots > 0; slots = concurrency.capacity().take(a))
      concurrency.begin(a);
    expect(perEndpoint).toBeLessThanOrEqual(total / 8);
    prove(concurrency, b);
    expect(concurrency.capacity().take(b)).toBe(2);
  });
});

function prove(concurrency: Concurrency, endpointId: EndpointId): void {
  const attempt = concurrency.begin(endpointId);
  attempt.answered(true);
  attempt.finished();
}
