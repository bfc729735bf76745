import { refusalOf, violationsOf } from '../../harness/answers.ts';
import { fullEnquiry } from '../../harness/enquiries.ts';
import { supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const valid = JSON.stringify(fullEnquiry());

/** A valid body but for one unknown field, whose innermost container is `depth` deep, the body itself being the first. */
const nested = (depth: number, open: string, close: string): string =>
  valid.replace('{', `{"deep":${open.repeat(depth - 1)}${close.repeat(depth - 1)},`);

describe('400 to a body nested deeper than 32', () => {
  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('33 deep in %s, while 32 deep is only an unknown field', async (_, open, close) => {
    const innermost = open === '[' ? '' : '1';
    const deep = (depth: number) =>
      nested(depth, open, close).replace(`${open}${close}`, open + innermost + close);
    refusalOf(await alpha.create(deep(33)), 400);
    expect(violationsOf(await alpha.create(deep(32))).map(({ path }) => path)).toEqual(['deep']);
  });

  it.each([
    ['a list', `${'['.repeat(10_000)}${']'.repeat(10_000)}`],
    ['an open list', '['.repeat(10_000)],
    ['an object', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
  ])('10,000 deep in %s', async (_, text) => {
    refusalOf(await alpha.create(text), 400);
  });

  it('does not come for brackets inside a text', async () => {
    const text = valid.replace('{', `{"flat":"${'['.repeat(60)}",`);
    expect(violationsOf(await alpha.create(text)).map(({ path }) => path)).toEqual(['flat']);
  });
});
