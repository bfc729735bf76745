import type { EndpointId } from '@supplier/lib/ids';
import { DELIVERY_BOUNDS } from './bounds.ts';
import { type Loads, loads, NEW_WINDOW, windowAfter } from './concurrency.ts';

describe('the window of an endpoint', () => {
  it('begins with one attempt and doubles with every success up to its bound', () => {
    const sizes = [NEW_WINDOW.size];
    let window = NEW_WINDOW;
    for (let success = 0; success < 5; success += 1) {
      window = windowAfter(window, true, 8);
      sizes.push(window.size);
    }
    expect(sizes).toEqual([1, 2, 4, 8, 8, 8]);
  });

  it('falls back to one with a failure, and recovers with the next success', () => {
    const failed = windowAfter({ size: 8, standing: 'proven' }, false, 8);
    expect(failed).toEqual({ size: 1, standing: 'failing' });
    expect(windowAfter(failed, true, 8)).toEqual({ size: 2, standing: 'proven' });
  });
});

const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'] as EndpointId[] as [
  EndpointId,
  EndpointId,
  EndpointId,
  EndpointId,
  EndpointId,
];

describe('what is under way', () => {
  it('grows for an endpoint with its successes, up to the bound of one endpoint', () => {
    const load = loads({ total: 100, perEndpoint: 8, failing: 50, unproven: 50 });
    const room = [load.offer().take(a)];
    for (let success = 0; success < 5; success += 1) {
      const attempt = load.begin(a);
      attempt.answered(true);
      attempt.finished();
      room.push(load.offer().take(a));
    }
    expect(room).toEqual([1, 2, 4, 8, 8, 8]);
  });

  it('leaves an endpoint that failed one attempt at a time', () => {
    const load = loads({ total: 100, perEndpoint: 8, failing: 50, unproven: 50 });
    load.begin(a).answered(true);
    load.begin(a).answered(false);
    expect(load.offer().take(a)).toBe(1);
    load.begin(a);
    expect(load.offer().take(a)).toBe(0);
  });

  it('is bounded in all, until outcomes are recorded', () => {
    const load = loads({ total: 2, perEndpoint: 8, failing: 2, unproven: 2 });
    const attempt = load.begin(a);
    attempt.answered(true);
    load.begin(b);
    expect(load.offer().some()).toBe(false);
    expect(load.offer().take(c)).toBe(0);
    attempt.finished();
    expect(load.offer().take(c)).toBe(1);
  });

  it('keeps room for endpoints that work, however many fail', () => {
    const load = loads({ total: 3, perEndpoint: 8, failing: 1, unproven: 2 });
    for (const id of [a, b]) {
      const attempt = load.begin(id);
      attempt.answered(false);
      attempt.finished();
    }
    const offer = load.offer();
    expect([offer.take(a), offer.take(b), offer.take(c)]).toEqual([1, 0, 1]);
    load.begin(a);
    expect(load.offer().take(b)).toBe(0);
    expect(load.offer().take(c)).toBe(1);
  });

  it('keeps room for endpoints that work, however many are new', () => {
    const load = loads({ total: 3, perEndpoint: 8, failing: 1, unproven: 2 });
    prove(load, a);
    const offer = load.offer();
    expect([offer.take(b), offer.take(c), offer.take(d), offer.take(a)]).toEqual([1, 1, 0, 1]);
  });

  it('gives one endpoint no more than an eighth of what is free, and everyone at least one', () => {
    const load = loads({ total: 32, perEndpoint: 64, failing: 8, unproven: 16 });
    for (const id of [a, b, c, d]) for (let success = 0; success < 6; success += 1) prove(load, id);
    const taken = [a, b, c, d].map((id) => {
      const slots = load.offer().take(id);
      for (let begun = 0; begun < slots; begun += 1) load.begin(id);
      return slots;
    });
    expect(taken).toEqual([4, 3, 3, 2]);
    expect(load.offer().take(a)).toBe(0);
    expect(load.offer().take(e)).toBe(1);
  });

  it('leaves a quarter of all places free when twenty busy endpoints begin to hang together', () => {
    const load = loads(DELIVERY_BOUNDS);
    const ids = Array.from({ length: 20 }, (_, index) => `busy ${index}` as EndpointId);
    for (const id of ids) for (let success = 0; success < 20; success += 1) prove(load, id);
    let held = 0;
    for (let begun = true; begun; ) {
      begun = false;
      for (const id of ids) {
        if (load.offer().take(id) === 0) continue;
        load.begin(id);
        held += 1;
        begun = true;
      }
    }
    expect(held / DELIVERY_BOUNDS.total).toBeLessThan(0.75);
  });

  it('leaves most places free when the only busy endpoint begins to hang', () => {
    const { total, perEndpoint } = DELIVERY_BOUNDS;
    const load = loads(DELIVERY_BOUNDS);
    for (let success = 0; success < 20; success += 1) prove(load, a);
    for (let slots = load.offer().take(a); slots > 0; slots = load.offer().take(a)) load.begin(a);
    expect(perEndpoint).toBeLessThanOrEqual(total / 8);
    prove(load, b);
    expect(load.offer().take(b)).toBe(2);
  });
});

function prove(load: Loads, endpointId: EndpointId): void {
  const attempt = load.begin(endpointId);
  attempt.answered(true);
  attempt.finished();
}
