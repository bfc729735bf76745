import { Badge, NativeSelect } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { type Policy, PolicyKindSchema } from '@supplier/proto/submission/v1/policies';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { policies } from '../calls.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { usePagedList } from '../components/paged-list.ts';
import { Panel } from '../components/panel.tsx';
import { enumName, formatTime } from '../format.ts';
import { kindName, POLICY_KINDS } from '../parts/policy-kinds.ts';

/** Shows the active policies and lists every version. */
export function PoliciesScreen() {
  const [kind, setKind] = useState(0);
  const inForce = useQueries({
    queries: POLICY_KINDS.map((one) => ({
      queryKey: ['policy', one, ''],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        policies.getPolicy({ kind: one }, { signal }),
    })),
  });
  const list = usePagedList(['policies', kind], async (page, signal) => {
    const { policies: rows, nextPageToken } = await policies.listPolicies({ kind, ...page }, { signal });
    return { rows, next: nextPageToken };
  });
  return (
    <>
      <PageHeader title="Policies" />
      {inForce.map((query, place) => (
        <Panel
          key={POLICY_KINDS[place]}
          title={`In force: ${enumName(PolicyKindSchema, POLICY_KINDS[place] ?? 0)}`}
          query={query}
          empty="No active policy."
        >
          {({ policy }) =>
            policy ? (
              <p>
                <VersionLink policy={policy} />, since {formatTime(policy.activatedAt)}, put in force by{' '}
                {visible(policy.activatedBy)}.
              </p>
            ) : null
          }
        </Panel>
      ))}
      <h2>Versions, newest first</h2>
      <div className="filters">
        <NativeSelect
          size="xs"
          label="kind"
          value={kind}
          onChange={(event) => setKind(Number(event.target.value))}
        >
          <option value={0}>both</option>
          {POLICY_KINDS.map((one) => (
            <option key={one} value={one}>
              {enumName(PolicyKindSchema, one)}
            </option>
          ))}
        </NativeSelect>
      </div>
      <DataTable
        label="Versions"
        columns={COLUMNS}
        list={list}
        keyOf={(policy) => `${policy.kind} ${policy.version}`}
        empty="No versions."
      />
    </>
  );
}

const VersionLink = ({ policy: { kind, version } }: { readonly policy: Policy }) => (
  <Link to="/policies/$kind/$version" params={{ kind: kindName(kind), version }}>
    {visible(version)}
  </Link>
);

const COLUMNS: readonly Column<Policy>[] = [
  {
    name: 'version',
    cell: (policy) => <VersionLink policy={policy} />,
    order: ({ version }) => version,
  },
  { name: 'kind', cell: ({ kind }) => enumName(PolicyKindSchema, kind), order: ({ kind }) => kind },
  {
    name: 'now',
    cell: ({ active }) => (active ? <Badge color="green">in force</Badge> : ''),
    order: ({ active }) => Number(active),
  },
  {
    name: 'last put in force',
    cell: ({ activatedAt, activatedBy }) =>
      activatedAt ? `${formatTime(activatedAt)} by ${visible(activatedBy)}` : 'never',
    order: ({ activatedAt }) => activatedAt?.seconds ?? 0n,
  },
  {
    name: 'stored',
    cell: ({ storedAt, author }) => `${formatTime(storedAt)} by ${visible(author)}`,
    order: ({ storedAt }) => storedAt?.seconds ?? 0n,
  },
  { name: 'what is new', cell: ({ note }) => visible(note) },
];
