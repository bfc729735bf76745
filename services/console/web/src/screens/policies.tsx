import { Button, Tag } from '@blueprintjs/core';
import { visible } from '@supplier/lib/text/visible';
import { type Policy, PolicyKindSchema } from '@supplier/proto/submission/v1/policies';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { policies } from '../calls.ts';
import { usePages } from '../parts/pages.ts';
import { Part } from '../parts/part.tsx';
import { kindName, POLICY_KINDS } from '../parts/policy-kinds.ts';
import { type Column, Rows } from '../parts/rows.tsx';
import { timeOf, wordOf } from '../words.ts';

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
  const pages = usePages(['policies', kind], async (page, signal) => {
    const { policies: rows, nextPageToken } = await policies.listPolicies({ kind, ...page }, { signal });
    return { rows, next: nextPageToken };
  });
  return (
    <>
      <h1>Policies</h1>
      {inForce.map((query, place) => (
        <Part
          key={POLICY_KINDS[place]}
          title={`In force: ${wordOf(PolicyKindSchema, POLICY_KINDS[place] ?? 0)}`}
          query={query}
          nothing="None is in force."
        >
          {({ policy }) =>
            policy ? (
              <p>
                <VersionLink policy={policy} />, since {timeOf(policy.activatedAt)}, put in force by{' '}
                {visible(policy.activatedBy)}.
              </p>
            ) : null
          }
        </Part>
      ))}
      <h2>Versions, newest first</h2>
      <div className="filters">
        <label>
          kind
          <select value={kind} onChange={(event) => setKind(Number(event.target.value))}>
            <option value={0}>both</option>
            {POLICY_KINDS.map((one) => (
              <option key={one} value={one}>
                {wordOf(PolicyKindSchema, one)}
              </option>
            ))}
          </select>
        </label>
        <Button onClick={pages.lookAgain}>Look again</Button>
      </div>
      <Rows
        label="Versions"
        columns={COLUMNS}
        pages={pages}
        keyOf={(policy) => `${policy.kind} ${policy.version}`}
        nothing="None are stored."
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
  { name: 'kind', cell: ({ kind }) => wordOf(PolicyKindSchema, kind), order: ({ kind }) => kind },
  {
    name: 'now',
    cell: ({ active }) => (active ? <Tag intent="success">in force</Tag> : ''),
    order: ({ active }) => Number(active),
  },
  {
    name: 'last put in force',
    cell: ({ activatedAt, activatedBy }) =>
      activatedAt ? `${timeOf(activatedAt)} by ${visible(activatedBy)}` : 'never',
    order: ({ activatedAt }) => activatedAt?.seconds ?? 0n,
  },
  {
    name: 'stored',
    cell: ({ storedAt, author }) => `${timeOf(storedAt)} by ${visible(author)}`,
    order: ({ storedAt }) => storedAt?.seconds ?? 0n,
  },
  { name: 'what is new', cell: ({ note }) => visible(note) },
];
