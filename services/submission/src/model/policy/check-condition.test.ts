import { compileCondition } from './policy-condition.ts';

const faults = (when: string) => {
  const compiled = compileCondition(when, { duplicate: false, accepted_today: 0n });
  return 'faults' in compiled ? compiled.faults : [];
};
const NOT_A_CONDITION = 'The condition is neither true nor false.';
const NO_TRUTH = 'A part of the condition is neither true nor false.';
const LIST = 'A list can only be iterated or searched.';
const NO_INDEX = 'A condition must not use [ ] after a name. Write enquiry.field.';

describe('checkCondition', () => {
  it.each([
    [
      'enquiry.marketing == null',
      ['A condition must not use null. Use has() to check whether a field is set.'],
    ],
    ['1u == 1u', ['A condition must not use bytes or unsigned numbers.']],
    ['enquiry.funding_amount.x == 1', ['There is no field "x" in int.']],
    ['facts.duplicate.x', ['There is no field "x" in bool.']],
    ['enquiry.notes == "a"', ['A condition must not use enquiry.notes: it is free text.']],
    [
      'enquiry.credit_screening == enquiry.credit_screening',
      ['A condition must not use enquiry.credit_screening as a whole. Use its fields.'],
    ],
    ['facts == facts', ['A condition must not use facts as a whole. Use single facts.']],
    ['BusinessSector == 1', ['A condition must name a value of BusinessSector.']],
    ['[1] == [1]', [LIST]],
    ['[1, "a"] == [1]', ['All values of a list must have the same type.', LIST]],
    [
      '[enquiry.attribution.source].exists(c, c == "a")',
      ['A list must not contain text from the supplier. Compare with ==.'],
    ],
    ['[1, 2].exists(int, int == 1)', ['"int" is already defined. Use another name for the variable.']],
    [
      '[1].exists(BusinessSector, true)',
      ['"BusinessSector" is already defined. Use another name for the variable.'],
    ],
    [
      '[1].map(c, c) == [1]',
      ['A condition must not use map or filter. Use exists, all or exists_one.', LIST],
    ],
    ['1 in enquiry', ['in does not accept int and enquiry.']],
    ['enquiry.funding_amount in 1', ['in does not accept int and int.']],
    ['size("abc") == 3', ['A condition must not use "size" here.']],
    ['f(1)', ['A condition must not use "f" here.']],
    ['1.f()', ['A condition must not use "f" here.']],
    ['enquiry.funding_amount ? true : false', [NO_TRUTH]],
    ['facts.duplicate && !1', [NO_TRUTH]],
    ['facts.duplicate ? 1 : "a"', ['? : has int on one side and text on the other.']],
    ['{}', ['A condition must not construct maps or messages.']],
    ['enquiry["marketing"]', [NO_INDEX]],
    ['enquiry.marketing[0]', [NO_INDEX]],
    ['1.5', [NOT_A_CONDITION]],
    ['string', [NOT_A_CONDITION]],
  ])('reports the faults of %s: %j', (when, expected) => {
    expect(faults(when)).toEqual(expected);
  });

  it('reports each fault once', () => {
    expect(faults('enquiry.x == 1 && enquiry.x == 2 && facts.y == 1')).toEqual([
      'Enquiry has no field "x".',
      'There is no fact "y".',
    ]);
  });
});

describe('checkCondition after a fault', () => {
  it.each([
    'enquiry.x',
    'enquiry.x.y == 1',
    'has(enquiry.x)',
    '!enquiry.x',
    'enquiry.x + 1 > 2',
    'enquiry.x ? true : false',
    'facts.duplicate ? enquiry.x : true',
    'facts.duplicate ? true : enquiry.x',
    'enquiry.x in [1]',
    '1 in enquiry.x',
    '1 in [enquiry.x]',
    '[enquiry.x].exists(c, c == 1)',
    'enquiry.x.exists(c, c == 1)',
  ])('reports no further faults that follow from it: %s', (when) => {
    expect(faults(when)).toEqual(['Enquiry has no field "x".']);
  });

  it.each(['facts.duplicate ? facts : 1', 'facts.duplicate ? 1 : facts', 'facts in [1]', '1 in [facts]'])(
    'reports facts that are used without a field only once: %s',
    (when) => {
      expect(faults(when)).toEqual(['A condition must not use facts as a whole. Use single facts.']);
    },
  );
});

describe('a conditional expression', () => {
  it.each([
    'facts.duplicate ? enquiry.marketing : true',
    '(facts.duplicate ? 1 : enquiry.funding_amount) > 3',
    '(facts.duplicate ? enquiry.attribution.source : "b") == "c"',
    '("b" == "c" ? "a" : enquiry.attribution.source) == "c"',
  ])('may choose between values of one kind: %s', (when) => {
    expect(faults(when)).toEqual([]);
  });
});

describe('the cost of a condition', () => {
  const costOf = (when: string) => {
    const compiled = compileCondition(when, { duplicate: false, accepted_today: 0n });
    return 'condition' in compiled ? compiled.condition.cost : compiled.faults;
  };

  it.each([
    ['true', 1],
    ['facts.duplicate', 2],
    ['enquiry.funding_amount > 3', 4],
    ['enquiry.funding_amount in [1, 2]', 8],
    ['enquiry.funding_amount + 1 > 3', 21],
  ])('is, for %s, at most %i steps', (when, cost) => {
    expect(costOf(when)).toBe(cost);
  });

  it('grows with each iterated element', () => {
    const costs = ['[1]', '[1, 2]', '[1, 2, 3]'].map((list) => Number(costOf(`${list}.exists(x, x == 2)`)));
    const [one = 0, two = 0, three = 0] = costs;
    expect(two - one).toBeGreaterThan(3);
    expect(three - two).toBe(two - one);
  });
});
