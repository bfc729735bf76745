import { createRespondControl, readRespondOrder } from './respond-control.ts';

const SUPPLIERS = ['alpha', 'beta'];
const order = (value: unknown) => readRespondOrder(JSON.stringify(value), SUPPLIERS);

describe('createRespondControl', () => {
  it('answers as ordered for as many events as ordered, for that supplier only', () => {
    const control = createRespondControl();
    control.order({ supplier: 'alpha', status: 500, times: 2 });
    expect(control.next('beta')).toBeUndefined();
    expect([control.next('alpha'), control.next('alpha'), control.next('alpha')]).toEqual([
      500,
      500,
      undefined,
    ]);
  });

  it('replaces an order by a later one, and takes it back with times 0', () => {
    const control = createRespondControl();
    control.order({ supplier: 'alpha', status: 500, times: 9 });
    control.order({ supplier: 'alpha', status: 302, times: 9 });
    expect(control.next('alpha')).toBe(302);
    control.order({ supplier: 'alpha', status: 302, times: 0 });
    expect(control.next('alpha')).toBeUndefined();
  });
});

describe('readRespondOrder', () => {
  it('reads an order', () => {
    expect(order({ supplier: 'alpha', respond: { status: 503, times: 3 } })).toEqual({
      supplier: 'alpha',
      status: 503,
      times: 3,
    });
  });

  it.each([
    ['no JSON', undefined, /JSON object/],
    ['a list', [], /JSON object/],
    [
      'an unknown supplier',
      { supplier: 'gamma', respond: { status: 500, times: 1 } },
      /supplier must be one of/,
    ],
    ['no respond', { supplier: 'alpha' }, /respond must be an object/],
    [
      'a status that no final answer has',
      { supplier: 'alpha', respond: { status: 100, times: 1 } },
      /status/,
    ],
    ['a status in text', { supplier: 'alpha', respond: { status: '500', times: 1 } }, /status/],
    ['a negative number of times', { supplier: 'alpha', respond: { status: 500, times: -1 } }, /times/],
    ['half a time', { supplier: 'alpha', respond: { status: 500, times: 1.5 } }, /times/],
    ['an unknown setting', { supplier: 'alpha', respond: { status: 500, times: 1, delay: 3 } }, /"delay"/],
  ])('refuses %s with a message', (_what, value, message) => {
    expect(order(value)).toMatch(message);
  });
});
