import { Button, Checkbox } from '@blueprintjs/core';
import {
  ErasureReasonSchema,
  ErasureStateSchema,
  type ListedErasure,
} from '@supplier/proto/submission/v1/erasures';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../calls.ts';
import { timeOf, wordOf } from '../words.ts';
import { usePages } from './pages.ts';
import { type Column, Rows } from './rows.tsx';

/** All erasures with their progress, newest first, both requested and by retention. */
export function ErasuresPart() {
  const [inProgress, setInProgress] = useState(false);
  const pages = usePages(['erasures', inProgress], async (page, signal) => {
    const { erasures: rows, nextPageToken: next } = await people.listErasures(
      { inProgress, ...page },
      { signal },
    );
    return { rows, next };
  });
  return (
    <section className="part">
      <h2>Erasures</h2>
      <div className="filters">
        <Checkbox
          label="Only those that are not complete"
          checked={inProgress}
          onChange={(event) => setInProgress(event.currentTarget.checked)}
        />
        <Button onClick={pages.lookAgain}>Look again</Button>
      </div>
      <Rows
        label="Erasures"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ erasureId }) => erasureId}
        nothing="There are none."
      />
    </section>
  );
}

const COLUMNS: readonly Column<ListedErasure>[] = [
  {
    name: 'erasure',
    cell: ({ erasureId }) => (
      <Link to="/people" search={{ erasure: erasureId }}>
        {erasureId}
      </Link>
    ),
  },
  {
    name: 'state',
    cell: ({ state }) => wordOf(ErasureStateSchema, state),
    order: ({ state }) => state,
  },
  {
    name: 'because of',
    cell: ({ reason }) => wordOf(ErasureReasonSchema, reason),
    order: ({ reason }) => reason,
  },
  { name: 'erased', cell: ({ completed, submissions }) => `${completed} of ${submissions}` },
  {
    name: 'asked for',
    cell: ({ requestedAt }) => timeOf(requestedAt),
    order: ({ requestedAt }) => requestedAt?.seconds ?? 0n,
  },
  { name: 'by', cell: ({ requestedBy }) => requestedBy, order: ({ requestedBy }) => requestedBy },
];
