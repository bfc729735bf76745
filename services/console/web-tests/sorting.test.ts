import { nextSorting, type Sorting, sortRows } from '../web/src/components/column.ts';

interface Row {
  readonly name: string;
  readonly count: bigint;
}
const name = { name: 'Name', order: (row: Row) => row.name };
const count = { name: 'Count', order: (row: Row) => row.count };
const columns = [name, count, { name: 'Links' }];
const rows: readonly Row[] = [
  { name: 'b', count: 10n },
  { name: 'a', count: 9n },
  { name: 'c', count: 9n },
];
const sorted = (sorting?: Sorting) =>
  sortRows(rows, columns, sorting)
    .map((row) => row.name)
    .join('');

describe('the rows of a list', () => {
  it.each<[string, Sorting | undefined, string]>([
    ['in the order of the service without sorting', undefined, 'bac'],
    ['by text', { name: 'Name', direction: 'asc' }, 'abc'],
    ['by text, descending', { name: 'Name', direction: 'desc' }, 'cba'],
    ['by number, equal ones in the order of the service', { name: 'Count', direction: 'asc' }, 'acb'],
    ['by number, descending', { name: 'Count', direction: 'desc' }, 'bac'],
    ['in the order of the service by a hidden column', { name: 'Other', direction: 'asc' }, 'bac'],
    [
      'in the order of the service by a column that cannot be sorted',
      { name: 'Links', direction: 'asc' },
      'bac',
    ],
  ])('are %s', (_, sorting, expected) => expect(sorted(sorting)).toBe(expected));
});

describe('clicks on a column head', () => {
  const clicks = (column: typeof name | typeof count, of = rows) => {
    const seen: (string | undefined)[] = [];
    let sorting: Sorting | undefined;
    for (let click = 0; click < 3; click += 1) {
      sorting = nextSorting(of, column, sorting);
      seen.push(sorting?.direction);
    }
    return seen;
  };

  it('sort texts ascending, then descending, then not', () =>
    expect(clicks(name)).toEqual(['asc', 'desc', undefined]));

  it('sort numbers descending, then ascending, then not', () =>
    expect(clicks(count)).toEqual(['desc', 'asc', undefined]));

  it('sort an empty list, too', () => expect(clicks(name, [])).toEqual(['asc', 'desc', undefined]));

  it('on another column begin with its own direction', () =>
    expect(nextSorting(rows, count, { name: 'Name', direction: 'desc' })).toEqual({
      name: 'Count',
      direction: 'desc',
    }));
});
