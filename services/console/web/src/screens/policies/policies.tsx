import { Badge, SimpleGrid } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  type Policy,
  type PolicyKind,
  PolicyKindSchema,
  PolicyService,
} from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { isNotFound, pagesOf } from '../../calls.ts';
import { enumColumn, textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Figure } from '../../components/figure.tsx';
import { ChoiceFilter, FilterBar } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { actorName, enumLabel, formatTime } from '../../format.ts';
import { policyQuery } from '../policy/policy-query.ts';
import { kindName, kindNamed, POLICY_KINDS } from './policy-kinds.ts';

const route = getRouteApi('/policies');

/** The active policies, and every version. */
export function PoliciesScreen() {
  const kind = kindNamed(route.useSearch().kind ?? '');
  const navigate = route.useNavigate();
  const list = usePagedList(
    pagesOf(PolicyService.method.listPolicies, { kind }),
    (answer) => answer.policies,
  );
  return (
    <>
      <PageHeader title="Policies" />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" mb="md">
        {POLICY_KINDS.map((one) => (
          <ActivePolicy key={one} kind={one} />
        ))}
      </SimpleGrid>
      <FilterBar>
        <ChoiceFilter
          label="Kind"
          options={POLICY_KINDS.map((one) => ({ value: one, label: enumLabel(PolicyKindSchema, one) }))}
          value={kind ? [kind] : []}
          onChange={([one]) => void navigate({ search: one ? { kind: kindName(one) } : {} })}
          isSingle
        />
      </FilterBar>
      <DataTable
        label="Versions"
        noun="version"
        hasTitle
        columns={COLUMNS}
        list={list}
        keyOf={(policy) => `${policy.kind} ${policy.version}`}
        empty="No versions. Store one with sss policies store."
      />
    </>
  );
}

function ActivePolicy({ kind }: { readonly kind: PolicyKind }) {
  const { data, error } = useQuery(policyQuery(kind));
  const policy = data?.policy;
  const label = `Active ${enumLabel(PolicyKindSchema, kind).toLowerCase()} policy`;
  if (error && isNotFound(error)) return <Figure label={label} value="No active policy" />;
  return (
    <Figure
      label={label}
      value={policy && <VersionLink policy={policy} />}
      detail={
        policy && `Since ${formatTime(policy.activatedAt)}, activated by ${actorName(policy.activatedBy)}`
      }
      error={error}
    />
  );
}

const VersionLink = ({ policy: { kind, version } }: { readonly policy: Policy }) => (
  <Link to="/policies/$kind/$version" params={{ kind: kindName(kind), version }}>
    {visible(version)}
  </Link>
);

const COLUMNS: readonly Column<Policy>[] = [
  {
    name: 'Version',
    cell: (policy) => <VersionLink policy={policy} />,
    order: ({ version }) => version,
  },
  enumColumn('Kind', PolicyKindSchema, ({ kind }) => kind),
  {
    name: 'Status',
    cell: ({ active }) => (active ? <Badge color="green">Active</Badge> : null),
    order: ({ active }) => Number(active),
  },
  timeColumn('Last activated', ({ activatedAt }) => activatedAt),
  textColumn('Activated by', ({ activatedBy }) => actorName(activatedBy), { isOptional: true }),
  timeColumn('Stored', ({ storedAt }) => storedAt),
  textColumn('Author', ({ author }) => actorName(author), { isMinor: true }),
  textColumn('Change note', ({ note }) => note),
];
