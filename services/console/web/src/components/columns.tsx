import type { DescEnum } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { visible } from '@supplier/lib/text/visible';
import type { ReactNode } from 'react';
import { enumLabel } from '../format.ts';
import type { Column } from './data-table.tsx';
import { Money } from './money.tsx';
import { ShortId, SubmissionLink } from './mono.tsx';
import { SupplierName } from './supplier-name.tsx';
import { RelativeTime } from './time.tsx';

/** Returns a builder of columns that render one value of a row, and sort by it. */
const columnsOf =
  <Value,>(
    render: (value: Value) => ReactNode,
    orderOf: (value: Value) => string | number | bigint,
    isNumber = false,
  ) =>
  <Row,>(name: string, pick: (row: Row) => Value, more: Partial<Column<Row>> = {}): Column<Row> => ({
    name,
    cell: (row) => render(pick(row)),
    order: (row) => orderOf(pick(row)),
    isNumber,
    ...more,
  });

export const textColumn = columnsOf(
  (text: string) => (
    <span className="name" title={visible(text)}>
      {visible(text)}
    </span>
  ),
  (text) => text,
);
export const idColumn = columnsOf(
  (id: string) => <ShortId id={visible(id)} />,
  (id) => id,
);
/** A column of relative times. */
export const timeColumn = columnsOf(
  (at: Timestamp | undefined) => <RelativeTime at={at} />,
  (at) => at?.seconds ?? 0n,
);
export const countColumn = columnsOf(
  (count: bigint | undefined) => (count ?? 0n).toLocaleString('en-GB'),
  (count) => count ?? 0n,
  true,
);
/** A column of amounts in pence. */
export const moneyColumn = columnsOf(
  (pence: number | bigint | undefined) => <Money pence={pence} />,
  (pence) => pence ?? 0,
  true,
);
export const enumColumn = <Row,>(
  name: string,
  schema: DescEnum,
  enumOf: (row: Row) => number,
  more: Partial<Column<Row>> = {},
): Column<Row> => ({ name, cell: (row) => enumLabel(schema, enumOf(row)), order: enumOf, ...more });

export const supplierColumn = <Row extends { readonly accountId: string }>(name: string): Column<Row> => ({
  name,
  cell: ({ accountId }) => <SupplierName accountId={accountId} />,
  order: ({ accountId }) => accountId,
});

/** A column of links to submissions, for lists without references. */
export const submissionColumn = <Row extends { readonly submissionId: string }>(
  name: string,
): Column<Row> => ({ name, cell: ({ submissionId }) => <SubmissionLink submissionId={submissionId} /> });
