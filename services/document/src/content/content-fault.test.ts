import { readFileSync } from 'node:fs';
import { answerOf, cleanPart, FAULTS, isPart, MAX_ANSWER_LENGTH, parseAnswer } from './content-fault.ts';

describe('content faults', () => {
  it.each(Object.entries(FAULTS))(
    '%s has a sentence for the problem and one for what to do',
    (rule, texts) => {
      expect(rule).toMatch(/^[a-z]+(?:-[a-z]+)+$/);
      for (const text of Object.values(texts)) expect(text).toMatch(/^[A-Z][ -~]{5,150}\.$/);
    },
  );

  it('returns the fault that was printed, with the longest rule and part', () => {
    for (const rule of Object.keys(FAULTS) as (keyof typeof FAULTS)[])
      for (const fault of [{ rule }, { rule, part: 'x'.repeat(60) }, { rule, part: 'a b!C12' }]) {
        expect(answerOf(fault).length).toBeLessThanOrEqual(MAX_ANSWER_LENGTH);
        expect(parseAnswer(answerOf(fault))).toEqual(fault);
      }
    expect(parseAnswer(answerOf(undefined))).toBeUndefined();
  });

  it.each([
    ['an unknown rule', 'fault no-such-rule'],
    ['a property of every object as its rule', 'fault constructor'],
    ['a part with control characters', 'fault csv-dde a\u0007b'],
    ['a part beyond ASCII', 'fault csv-dde J\u00fcrgen'],
    ['a part over 60 characters', `fault csv-dde ${'x'.repeat(61)}`],
    ['two lines', 'clean\nfault csv-dde'],
    ['nothing', ''],
  ])('are not read from an answer with %s, from a process that may be taken over', (_what, answer) => {
    expect(parseAnswer(answer)).toBe('invalid');
  });

  it('escapes and shortens a part', () => {
    expect(cleanPart('xl/a.xml')).toBe('xl/a.xml');
    expect(cleanPart('a\u202ex\0')).toBe('a\\u202ex\\u0000');
    for (const text of ['x'.repeat(61), '\n'.repeat(20)]) {
      expect(isPart(cleanPart(text))).toBe(true);
      expect(cleanPart(text)).toMatch(/\.\.\.$/);
    }
  });

  it('are all in the guide for suppliers, with what to do', () => {
    const guide = readFileSync(new URL('../../../../docs/suppliers/documents.md', import.meta.url), 'utf8');
    const [, table = ''] = guide.split('| The file | What to do |\n| --- | --- |\n');
    const rows = Object.values(FAULTS).map(({ problem, advice }) => `| ${problem} | ${advice} |`);
    expect(table.split('\n\n', 1)[0]?.split('\n')).toEqual(rows);
  });
});
