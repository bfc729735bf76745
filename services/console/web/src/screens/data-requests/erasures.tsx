import {
  ErasureReasonSchema,
  ErasureState,
  ErasureStateSchema,
  type ListedErasure,
} from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { pagesOf } from '../../calls.ts';
import { enumColumn, textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, enumOptions, FilterBar } from '../../components/filter-bar.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { ErasureBadge } from './certificate.tsx';

const IN_PROGRESS = enumOptions(ErasureStateSchema).filter(({ value }) => value === ErasureState.IN_PROGRESS);

/** All erasures with their progress, newest first, both requested and by retention. */
export function ErasureList() {
  const navigate = useNavigate();
  const [states, setStates] = useState<readonly number[]>([]);
  const [[reason = 0], setReasons] = useState<readonly number[]>([]);
  const inProgress = states.length > 0;
  const list = usePagedList(
    pagesOf(PrivacyService.method.listErasures, { inProgress, reason }),
    ({ erasures }) => erasures,
  );
  return (
    <>
      <FilterBar>
        <ChoiceFilter label="Status" options={IN_PROGRESS} value={states} onChange={setStates} isSingle />
        <ChoiceFilter
          label="Reason"
          options={enumOptions(ErasureReasonSchema)}
          value={reason ? [reason] : []}
          onChange={setReasons}
          isSingle
        />
      </FilterBar>
      <DataTable
        label="Erasures"
        columns={COLUMNS}
        list={list}
        keyOf={({ erasureId }) => erasureId}
        empty="No erasures match. Erasures appear here when they are requested or retention ends."
        onOpen={({ erasureId }) => void navigate({ to: '/data-requests', search: { erasure: erasureId } })}
      />
    </>
  );
}

const COLUMNS: readonly Column<ListedErasure>[] = [
  timeColumn('Requested', ({ requestedAt }) => requestedAt, { listOrder: 'desc' }),
  {
    name: 'Status',
    cell: ({ state }) => <ErasureBadge state={state} />,
    order: ({ state }) => state,
  },
  {
    name: 'Progress',
    cell: ({ completed, submissions }) => `${completed} of ${submissions}`,
  },
  enumColumn('Reason', ErasureReasonSchema, ({ reason }) => reason),
  textColumn('Requested by', ({ requestedBy }) => requestedBy),
  {
    name: 'Erasure',
    cell: ({ erasureId }) => (
      <Link className="mono" to="/data-requests" search={{ erasure: erasureId }}>
        {erasureId}
      </Link>
    ),
    isRowHeader: true,
  },
];
