import type { DescEnum } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { visible } from '@supplier/lib/text/visible';
import { enumLabel } from '../format.ts';
import type { Column } from './data-table.tsx';
import { Money } from './money.tsx';
import { ShortId, SubmissionLink } from './mono.tsx';
import { SupplierName } from './supplier-name.tsx';
import { RelativeTime } from './time.tsx';

type More<Row> = Partial<Column<Row>>;

/** A column of texts. */
export const textColumn = <Row,>(
  name: string,
  textOf: (row: Row) => string,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => (
    <span className="name" title={visible(textOf(row))}>
      {visible(textOf(row))}
    </span>
  ),
  order: textOf,
  ...more,
});

/** A column of ids. */
export const idColumn = <Row,>(
  name: string,
  idOf: (row: Row) => string,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => <ShortId id={visible(idOf(row))} />,
  order: idOf,
  ...more,
});

/** A column of relative times. */
export const timeColumn = <Row,>(
  name: string,
  timeOf: (row: Row) => Timestamp | undefined,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => <RelativeTime at={timeOf(row)} />,
  order: (row) => timeOf(row)?.seconds ?? 0n,
  ...more,
});

export const countColumn = <Row,>(
  name: string,
  countOf: (row: Row) => bigint | undefined,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => (countOf(row) ?? 0n).toLocaleString('en-GB'),
  order: (row) => countOf(row) ?? 0n,
  isNumber: true,
  ...more,
});

/** A column of amounts in pence. */
export const moneyColumn = <Row,>(
  name: string,
  penceOf: (row: Row) => number | bigint | undefined,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => <Money pence={penceOf(row)} />,
  order: (row) => penceOf(row) ?? 0,
  isNumber: true,
  ...more,
});

export const enumColumn = <Row,>(
  name: string,
  schema: DescEnum,
  enumOf: (row: Row) => number,
  more: More<Row> = {},
): Column<Row> => ({
  name,
  cell: (row) => enumLabel(schema, enumOf(row)),
  order: enumOf,
  ...more,
});

export const supplierColumn = <Row extends { readonly accountId: string }>(name: string): Column<Row> => ({
  name,
  cell: ({ accountId }) => <SupplierName accountId={accountId} />,
  order: ({ accountId }) => accountId,
});

/** A column of links to submissions, for lists without references. */
export const submissionColumn = <Row extends { readonly submissionId: string }>(
  name: string,
): Column<Row> => ({
  name,
  cell: ({ submissionId }) => <SubmissionLink submissionId={submissionId} />,
});
