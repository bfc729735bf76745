import { Button } from '@mantine/core';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { Environment } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { ReactNode } from 'react';
import { useMay } from '../../calls.ts';
import { periodOf } from '../../components/chart-props.ts';
import { LoadError } from '../../components/load-error.tsx';
import { LoadingLines, PanelBody, PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SupplierName, useSupplierNames } from '../../components/supplier-name.tsx';
import { type FiguresOf, useIntake, useValue } from '../../figures-query.ts';
import { saveFile } from '../../save-file.ts';
import { columnsOf, linesOf, othersOf, type ReportLine, reportFile, totalOf } from './report-lines.ts';

/** The figures of the period by day and by supplier, each with its total and as a file. */
export function ReportTables({ of }: { readonly of: FiguresOf }) {
  const may = useMay();
  const names = useSupplierNames();
  const mayCount = may(SubmissionService.method.getIntake);
  const mayValue = of.environment === Environment.PRODUCTION && may(BillingService.method.getBillableValue);
  const intake = useIntake(of, mayCount);
  const value = useValue(of, mayValue);
  const queries = [...(mayCount ? [intake] : []), ...(mayValue ? [value] : [])];
  const states = queries.map(({ data, error, refetch }, at) =>
    error ? (
      <LoadError key={String(at)} error={error} isStale={data !== undefined} onRetry={() => void refetch()} />
    ) : null,
  );
  // The figure above has the value also in the sandbox, and its response is shared.
  const charged = mayValue ? value.data : undefined;
  const isLoading = queries.some(({ isPending }) => isPending);
  const byDay = linesOf(
    intake.data?.days.map((one) => ({ ...one, key: one.day })),
    charged?.periods.map((one) => ({ ...one, key: one.period })),
  );
  const total = totalOf(byDay);
  const listed = linesOf(
    intake.data?.accounts.map((one) => ({ ...one, key: one.accountId })),
    charged?.accounts.map((one) => ({ ...one, key: one.accountId })),
  );
  const others = isLoading ? undefined : othersOf(total, listed);
  const bySupplier = others ? [...listed, others] : listed;
  const save = (what: string, lines: readonly string[]) => {
    const name = ['report', what, of.fromDay, of.untilDay, ...(of.accountId ? [of.accountId] : [])];
    saveFile(`${name.join('-')}.csv`, 'text/csv;charset=utf-8', lines);
  };
  const panel = { states, isLoading, total };
  return (
    <>
      <LinesPanel
        {...panel}
        title="By supplier"
        first="Supplier"
        lines={bySupplier}
        name={({ key }) => (key === '' ? 'All other suppliers' : <SupplierName accountId={key} />)}
        onSave={() => {
          const nameOf = ({ key }: ReportLine) =>
            key === '' ? 'All other suppliers' : (names.get(key) ?? '');
          const heads = ['account_id', 'supplier'];
          save(
            'by-supplier',
            reportFile(heads, bySupplier, (line) => [line.key, nameOf(line)]),
          );
        }}
      />
      <LinesPanel
        {...panel}
        title="By day"
        first="Day"
        lines={byDay}
        name={({ key }) => periodOf(key)}
        onSave={() =>
          save(
            'by-day',
            reportFile(['day'], byDay, ({ key }) => [key]),
          )
        }
      />
    </>
  );
}

interface LinesPanelProps {
  readonly title: string;
  /** Head of the first column. */
  readonly first: string;
  readonly lines: readonly ReportLine[];
  readonly total: ReportLine;
  readonly name: (line: ReportLine) => ReactNode;
  readonly states: readonly ReactNode[];
  readonly isLoading: boolean;
  readonly onSave: () => void;
}

function LinesPanel({ title, first, lines, total, name, states, isLoading, onSave }: LinesPanelProps) {
  const columns = columnsOf([...lines, total]);
  const rowOf = (line: ReportLine, label: ReactNode) => [label, ...columns.map(({ text }) => text(line))];
  const isComplete = !isLoading && states.every((state) => state === null);
  const isNothing = !othersOf(total, []);
  return (
    <PanelFrame
      title={title}
      isFlush
      isLoading={isLoading}
      actions={
        isComplete && !isNothing ? (
          <Button size="compact-xs" onClick={onSave}>
            Download CSV
          </Button>
        ) : null
      }
    >
      {states}
      {isLoading ? <LoadingLines /> : null}
      {isComplete && isNothing ? <PanelBody>No submissions or charges in this period.</PanelBody> : null}
      {isNothing ? null : (
        <SimpleTable
          label={title}
          heads={[first, ...columns.map(({ head }) => head)]}
          numbers={columns.map(({ head }) => head)}
          minor={columns.flatMap(({ head, isMinor }) => (isMinor ? [head] : []))}
          rows={[...lines.map((line) => rowOf(line, name(line))), rowOf(total, <b>Total</b>)]}
        />
      )}
    </PanelFrame>
  );
}
