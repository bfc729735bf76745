import { fullEnquiry } from '../../harness/enquiries.ts';
import { refusalOf, violationsOf } from '../../harness/responses.ts';
import { supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const valid = JSON.stringify(fullEnquiry());

/**
 * Returns a body that is valid except for an unknown field with its innermost container at `depth`; the body is level
 * 1.
 */
const nested = (depth: number, open: string, close: string): string =>
  valid.replace('{', `{"deep":${open.repeat(depth - 1)}${close.repeat(depth - 1)},`);

describe('create with deep nesting', () => {
  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('returns 400 for %s nested 33 deep, and reports 32 deep as an unknown field', async (_, open, close) => {
    const innermost = open === '[' ? '' : '1';
    const deep = (depth: number) =>
      nested(depth, open, close).replace(`${open}${close}`, open + innermost + close);
    refusalOf(await alpha.create(deep(33)), 400);
    expect(violationsOf(await alpha.create(deep(32))).map(({ path }) => path)).toEqual(['deep']);
  });

  it.each([
    ['a list', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['an unterminated list', '['.repeat(10_000)],
    ['an object', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ])('returns 400 for %s nested 10,000 deep', async (_, text) => {
    refusalOf(await alpha.create(text), 400);
  });

  it('accepts brackets inside a text', async () => {
    const text = valid.replace('{', `{"flat":"${'['.repeat(60)}",`);
    expect(violationsOf(await alpha.create(text)).map(({ path }) => path)).toEqual(['flat']);
  });
});
