import { csvRecord } from '@supplier/lib/text/csv';
import { acceptedShareOf, netOf, type Outcomes, receivedOf, sumOf, type Value } from '../../figures.ts';
import { formatPounds } from '../../format.ts';

/** The figures of a day, of a supplier or in total. Undefined parts aren't known to the person. */
export interface ReportLine {
  /** A day or an account ID. Empty for several. */
  readonly key: string;
  readonly outcomes: Outcomes | undefined;
  readonly value: Value | undefined;
}

type Keyed<Figures> = readonly (Figures & { readonly key: string })[] | undefined;

const NO_OUTCOMES: Outcomes = { accepted: 0n, duplicates: 0n, rejected: 0n, returned: 0n, undecided: 0n };
const NO_VALUE: Value = {
  billableSubmissions: 0n,
  credits: 0n,
  chargedPence: 0n,
  creditedPence: 0n,
  unpriced: 0n,
};

/** Returns a line for each key of either list, in their order. A key that a list lacks has zeros in it. */
export function linesOf(outcomes: Keyed<Outcomes>, values: Keyed<Value>): readonly ReportLine[] {
  const byKey = <Figures>(rows: Keyed<Figures>) => new Map(rows?.map((row) => [row.key, row]));
  const [counted, priced] = [byKey(outcomes), byKey(values)];
  return [...new Set([...counted.keys(), ...priced.keys()])].map((key) => ({
    key,
    outcomes: outcomes && (counted.get(key) ?? NO_OUTCOMES),
    value: values && (priced.get(key) ?? NO_VALUE),
  }));
}

/** Combines the same figures of two lists or more, each by a function of the figure's values. */
function combined<Figures extends object>(
  zero: Figures,
  rows: readonly (Figures | undefined)[],
  combine: (sum: bigint, value: bigint, at: number) => bigint,
): Figures | undefined {
  const known = rows.filter((row) => row !== undefined);
  if (known.length < rows.length) return undefined;
  const names = Object.keys(zero) as (keyof Figures)[];
  const figure = (name: keyof Figures) =>
    known.reduce((sum, row, at) => combine(sum, row[name] as bigint, at), 0n);
  return Object.fromEntries(names.map((name) => [name, figure(name)])) as Figures;
}

export const totalOf = (lines: readonly ReportLine[]): ReportLine => ({
  key: '',
  outcomes: combined(
    NO_OUTCOMES,
    lines.map(({ outcomes }) => outcomes),
    (sum, value) => sum + value,
  ),
  value: combined(
    NO_VALUE,
    lines.map(({ value }) => value),
    (sum, value) => sum + value,
  ),
});

/** Returns what a total has more than lines, or undefined for nothing: the suppliers beyond those listed. */
export function othersOf(total: ReportLine, lines: readonly ReportLine[]): ReportLine | undefined {
  const listed = totalOf(lines);
  const less = (sum: bigint, value: bigint, at: number) => (at === 0 ? value : sum - value);
  const outcomes = combined(NO_OUTCOMES, [total.outcomes, listed.outcomes], less);
  const value = combined(NO_VALUE, [total.value, listed.value], less);
  const figures = [...Object.values(outcomes ?? {}), ...Object.values(value ?? {})];
  return figures.some((figure) => figure !== 0n) ? { key: '', outcomes, value } : undefined;
}

interface ReportColumn {
  readonly head: string;
  /** In the file. Absent for one that can be derived. */
  readonly name?: string;
  readonly text: (line: ReportLine) => string;
  /** As text in the file. Of pence, if it differs from the table. */
  readonly csv?: (line: ReportLine) => bigint | undefined;
  readonly isMinor?: boolean;
}

const count = (
  head: string,
  name: string,
  of: (line: ReportLine) => bigint | undefined,
  isMinor = false,
): ReportColumn => ({
  ...{ head, name, csv: of, isMinor },
  text: (line) => of(line)?.toLocaleString('en-GB') ?? '—',
});
const money = (head: string, name: string, of: (value: Value) => bigint): ReportColumn => ({
  ...{ head, name, csv: ({ value }) => value && of(value) },
  text: ({ value }) => (value ? formatPounds(of(value)) : '—'),
});

const OUTCOMES: readonly ReportColumn[] = [
  count('Received', 'received', ({ outcomes }) => outcomes && receivedOf(outcomes)),
  count('Accepted', 'accepted', ({ outcomes }) => outcomes?.accepted),
  {
    head: 'Accepted of decided',
    text: ({ outcomes }) => (outcomes ? acceptedShareOf([outcomes]) : '—'),
    isMinor: true,
  },
  count('Duplicate', 'duplicates', ({ outcomes }) => outcomes?.duplicates),
  count('Rejected', 'rejected', ({ outcomes }) => outcomes?.rejected, true),
  count('Returned', 'returned', ({ outcomes }) => outcomes?.returned),
  count('Undecided', 'undecided', ({ outcomes }) => outcomes?.undecided, true),
];
const VALUE: readonly ReportColumn[] = [
  count('Billable', 'billable_submissions', ({ value }) => value?.billableSubmissions, true),
  money('Charged', 'charged_pence', ({ chargedPence }) => chargedPence),
  money('Credited', 'credited_pence', ({ creditedPence }) => creditedPence),
  money('Net', 'net_pence', netOf),
];
const UNPRICED = count('Unpriced', 'unpriced', ({ value }) => value?.unpriced);

/** Returns the columns that have anything in these lines. */
export const columnsOf = (lines: readonly ReportLine[]): readonly ReportColumn[] => [
  ...(lines.some(({ outcomes }) => outcomes) ? OUTCOMES : []),
  ...(lines.some(({ value }) => value) ? VALUE : []),
  ...(sumOf(lines, ({ value }) => value?.unpriced ?? 0n) > 0n ? [UNPRICED] : []),
];

/** Returns the records of a file: one for each line, without the total. The first columns name the line. */
export function reportFile(
  heads: readonly string[],
  lines: readonly ReportLine[],
  nameOf: (line: ReportLine) => readonly string[],
): readonly string[] {
  const columns = columnsOf(lines).filter(({ name }) => name !== undefined);
  const cells = (line: ReportLine) => columns.map(({ csv }) => String(csv?.(line) ?? ''));
  return [
    csvRecord([...heads, ...columns.map(({ name = '' }) => name)]),
    ...lines.map((line) => csvRecord([...nameOf(line), ...cells(line)])),
  ];
}
