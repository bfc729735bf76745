import { compileCondition } from './policy-condition.ts';

const faults = (when: string) => {
  const compiled = compileCondition(when, { duplicate: false, accepted_today: 0n });
  return 'faults' in compiled ? compiled.faults : [];
};

const T = 'timestamp("2026-11-20T10:00:00Z")';
const D = 'duration("60s")';
const AMOUNT = 'enquiry.funding_amount';
const SIGNS = ['==', '!=', '<', '<=', '>', '>='];
const PARTS_OF_DAY = ['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'];
const PARTS_OF_DATE = ['FullYear', 'Month', 'Date', 'DayOfMonth', 'DayOfWeek', 'DayOfYear'];

describe('a condition may', () => {
  it.each([
    ['numbers', AMOUNT, '1'],
    ['decimals', '1.5', '2.5'],
    ['a number and a decimal', AMOUNT, '1.5'],
    ['a decimal and a number', '1.5', 'facts.accepted_today'],
    ['times', 'enquiry.capture_timestamp', T],
    ['durations', D, D],
  ])('compare %s with any sign', (_what, one, other) => {
    for (const sign of SIGNS) expect(faults(`${one} ${sign} ${other}`)).toEqual([]);
  });

  it.each([
    ['booleans', 'facts.duplicate', 'enquiry.marketing'],
    ['texts', '"a"', "'b'"],
    ['a label of the supplier', 'enquiry.attribution.source', '"web"'],
    ['a string with a label of the supplier', '"web"', 'enquiry.attribution.source'],
    ['types', `type(${AMOUNT})`, 'int'],
    ['enum values', 'enquiry.business_sector', 'BusinessSector.BUSINESS_SECTOR_CONSTRUCTION'],
  ])('compare %s for equality', (_what, one, other) => {
    for (const sign of ['==', '!=']) expect(faults(`${one} ${sign} ${other}`)).toEqual([]);
  });

  it.each([
    `${AMOUNT} + 1 > 2 && ${AMOUNT} - 1 < 2 && ${AMOUNT} * 2 > 2 && ${AMOUNT} / 2 > 2 && ${AMOUNT} % 2 == 0`,
    '1.5 + 1.0 > 2.0 && 1.5 - 1.0 < 2.0 && 1.5 * 2.0 > 2.0 && 1.5 / 2.0 > 0.0',
    `-(${AMOUNT}) < 0 && -(1.5) < 0.0`,
    `${T} + ${D} > ${T} && ${D} + ${T} > ${T} && ${D} + ${D} > ${D}`,
    `${T} - ${T} < ${D} && ${T} - ${D} < ${T} && ${D} - ${D} < ${D}`,
  ])('calculate: %s', (when) => {
    expect(faults(when)).toEqual([]);
  });

  it.each([
    `int(${AMOUNT}) == 1 && int(1.5) == 1 && int(${T}) > 0 && int(${D}) > 0`,
    `double(${AMOUNT}) > 1.0 && double(1.5) > 1.0`,
    'type(true) == bool && type(1) == int && type(1.5) == double',
    `type(${T}) == type(${T}) && type(${D}) == type(${D})`,
  ])('convert: %s', (when) => {
    expect(faults(when)).toEqual([]);
  });

  it.each([...PARTS_OF_DAY, ...PARTS_OF_DATE.map((name) => `get${name}`)])('read %s of a time', (name) => {
    expect(faults(`${T}.${name}() == 1`)).toEqual([]);
  });

  it.each(PARTS_OF_DAY)('read %s of a duration', (name) => {
    expect(faults(`${D}.${name}() == 1`)).toEqual([]);
  });

  it.each([
    'enquiry.contact_expectation.channels.exists(c, c == ContactChannel.CONTACT_CHANNEL_PHONE)',
    'terms.thresholds.excluded_sectors.all(sector, sector > 0)',
    'size(terms.thresholds.excluded_sectors) == 0',
    `${AMOUNT} in [1, 2] || enquiry.attribution.source in ["a", "b"] || ${T} in [${T}]`,
  ])('read a list: %s', (when) => {
    expect(faults(when)).toEqual([]);
  });
});

describe('a condition may not', () => {
  it.each([
    ['add booleans', 'true + true == true'],
    ['order booleans', 'true < false'],
    ['order strings', '"a" < "b"'],
    ['negate a time', `-${T} == ${T}`],
    ['add two times', `${T} + ${T} == ${T}`],
    ['subtract a time from a duration', `${D} - ${T} == ${D}`],
    ['multiply a duration', `${D} * 2 == ${D}`],
    ['calculate a remainder of decimals', '1.5 % 1.0 == 0.5'],
    ['add a number and a decimal', '1 + 1.5 == 2.5'],
    ['compare a number with a string', '1 == "1"'],
    ['compare a number with a boolean', '1 == true'],
    ['compare a time with a duration', `${T} == ${D}`],
    ['convert a string to a number', 'int("1") == 1'],
    ['make a time from a number', `timestamp(1) == ${T}`],
    ['read the year of a duration', `${D}.getFullYear() == 1`],
    ['find a number in a list of strings', '1 in ["a"]'],
  ])('%s: %s', (_what, when) => {
    expect(faults(when)).toEqual([expect.stringContaining('does not accept')]);
  });
});
