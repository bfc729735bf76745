import type { EndpointId } from '@supplier/lib/ids';
import { loads } from './loads.ts';

const [a, b, c] = ['a', 'b', 'c'] as EndpointId[] as [EndpointId, EndpointId, EndpointId];

describe('what is under way', () => {
  it('grows for an endpoint with its successes, up to the bound of one endpoint', () => {
    const load = loads({ total: 100, perEndpoint: 8, failing: 50 });
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
    const load = loads({ total: 100, perEndpoint: 8, failing: 50 });
    load.begin(a).answered(true);
    load.begin(a).answered(false);
    expect(load.offer().take(a)).toBe(1);
    load.begin(a);
    expect(load.offer().take(a)).toBe(0);
  });

  it('is bounded in all, until outcomes are recorded', () => {
    const load = loads({ total: 2, perEndpoint: 8, failing: 2 });
    const attempt = load.begin(a);
    attempt.answered(true);
    load.begin(b);
    expect(load.offer().some()).toBe(false);
    expect(load.offer().take(c)).toBe(0);
    attempt.finished();
    expect(load.offer().take(c)).toBe(1);
  });

  it('keeps room for endpoints that work, however many fail', () => {
    const load = loads({ total: 3, perEndpoint: 8, failing: 1 });
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
});
