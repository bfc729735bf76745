import { Checkbox } from '@mantine/core';
import {
  ErasureReasonSchema,
  ErasureStateSchema,
  type ListedErasure,
} from '@supplier/proto/submission/v1/erasures';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../calls.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { usePagedList } from '../components/paged-list.ts';
import { enumName, formatTime } from '../format.ts';

/** All erasures with their progress, newest first, both requested and by retention. */
export function ErasuresPanel() {
  const [inProgress, setInProgress] = useState(false);
  const list = usePagedList(['erasures', inProgress], async (page, signal) => {
    const { erasures: rows, nextPageToken: next } = await people.listErasures(
      { inProgress, ...page },
      { signal },
    );
    return { rows, next };
  });
  return (
    <section className="panel">
      <h2>Erasures</h2>
      <div className="filters">
        <Checkbox
          label="Incomplete only"
          checked={inProgress}
          onChange={(event) => setInProgress(event.currentTarget.checked)}
        />
      </div>
      <DataTable
        label="Erasures"
        columns={COLUMNS}
        list={list}
        keyOf={({ erasureId }) => erasureId}
        empty="None."
      />
    </section>
  );
}

const COLUMNS: readonly Column<ListedErasure>[] = [
  {
    name: 'erasure',
    cell: ({ erasureId }) => (
      <Link to="/data-requests" search={{ erasure: erasureId }}>
        {erasureId}
      </Link>
    ),
  },
  {
    name: 'state',
    cell: ({ state }) => enumName(ErasureStateSchema, state),
    order: ({ state }) => state,
  },
  {
    name: 'because of',
    cell: ({ reason }) => enumName(ErasureReasonSchema, reason),
    order: ({ reason }) => reason,
  },
  { name: 'erased', cell: ({ completed, submissions }) => `${completed} of ${submissions}` },
  {
    name: 'asked for',
    cell: ({ requestedAt }) => formatTime(requestedAt),
    order: ({ requestedAt }) => requestedAt?.seconds ?? 0n,
  },
  { name: 'by', cell: ({ requestedBy }) => requestedBy, order: ({ requestedBy }) => requestedBy },
];
