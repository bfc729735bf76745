import { csvRecord } from './index.ts';

describe('csvRecord', () => {
  it.each([
    ['plain', 'plain'],
    ['', ''],
    ['-12.50', '-12.50'],
    ['a,b', '"a,b"'],
    ['a;b', '"a;b"'],
    ['"', '""""'],
    ['say "a" and "b"', '"say ""a"" and ""b"""'],
    ['=1+1', "'=1+1"],
    ['  @SUM(A1)', "'  @SUM(A1)"],
    ['a;=1+1', '"a;\'=1+1"'],
    ['"=1+1', '"""\'=1+1"'],
    ['\uff1d1+1', "'\uff1d1+1"],
    // A line break, and texts that spell one.
    ['a\nb', 'a\\nb'],
    ['a\\nb', 'a\\\\nb'],
    ['a\\\\nb', 'a\\\\\\\\nb'],
    ['a\r\nb', 'a\\r\\nb'],
    ['a\\r\\nb', 'a\\\\r\\\\nb'],
    ['a\u200bb', 'a\\u200bb'],
    ['a\\u200bb', 'a\\\\u200bb'],
    ['C:\\Submissions', 'C:\\Submissions'],
  ])('writes %j as %s', (cell, written) => {
    expect(csvRecord([cell])).toBe(`${written}\r\n`);
  });

  it('separates cells with commas and ends the record', () => {
    expect(csvRecord(['a', '', 'c'])).toBe('a,,c\r\n');
  });
});
