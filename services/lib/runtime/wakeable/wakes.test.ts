import { createWakes, relayWakes } from './index.ts';

describe('wake-ups', () => {
  it('do nothing until they are connected, then each wakes its own target', () => {
    const woken: unknown[] = [];
    const wakes = createWakes({ relay() {}, delivery(_endpoint: string) {} });
    const { relay } = wakes;
    relay();
    wakes.delivery('early');
    wakes.connect({ delivery: (endpoint) => woken.push(endpoint) });
    relay();
    wakes.connect({ relay: () => woken.push('relay') });
    wakes.delivery('late');
    relay();
    expect(woken).toEqual(['late', 'relay']);
  });

  it('may consist of only the relay', () => {
    const wakes = relayWakes();
    let woken = 0;
    wakes.connect({ relay: () => (woken += 1) });
    wakes.relay();
    expect(woken).toBe(1);
  });
});
