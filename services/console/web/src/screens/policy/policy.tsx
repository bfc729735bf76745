import { Badge, Group, Stack, Tabs, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  type GetPolicyResponse,
  type Policy,
  PolicyKindSchema,
} from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Facts } from '../../components/facts.tsx';
import { LoadState } from '../../components/load-state.tsx';
import { Mono } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { TabList } from '../../components/tab-list.tsx';
import { actorName, enumLabel, formatTime } from '../../format.ts';
import { policySearch } from '../../searches.ts';
import { kindNamed } from '../policies/policy-kinds.ts';
import { ActivatePolicyAction } from './activate-policy.tsx';
import { PolicyDifference } from './policy-difference.tsx';
import { PolicyDraft } from './policy-draft.tsx';
import { policyQuery } from './policy-query.ts';
import { PolicyRules } from './policy-rules.tsx';

const route = getRouteApi('/policies/$kind/$version');

/** One policy version: its rules, its difference from the active one, and an editor that tries changes. */
export function PolicyScreen() {
  const { kind: kindInPath, version } = route.useParams();
  const kind = kindNamed(kindInPath);
  const found = useQuery(policyQuery(kind, version));
  const active = useQuery(policyQuery(kind));
  const policy = found.data?.policy;
  if (kind === 0) return <Text role="alert">There is no such kind of policy.</Text>;
  return (
    <>
      <PageHeader
        parent={{ name: 'Policies', to: '/policies' }}
        title={visible(version)}
        actions={
          policy ? (
            <ActivatePolicyAction
              key={version}
              policy={policy}
              text={found.data?.text ?? ''}
              rules={found.data?.rules ?? []}
              active={active.data}
            />
          ) : null
        }
      >
        <Group gap={6}>
          <Badge color="gray">{enumLabel(PolicyKindSchema, kind)}</Badge>
          {policy ? (
            <Badge color={policy.active ? 'green' : 'gray'}>{policy.active ? 'Active' : 'Not active'}</Badge>
          ) : null}
        </Group>
      </PageHeader>
      <LoadState query={found} notFound="There is no such version." />
      {found.data && policy ? (
        <Stack gap="md">
          <PanelFrame title="Details">
            <Details policy={policy} />
          </PanelFrame>
          <Contents key={`${kind} ${version}`} policy={policy} found={found.data} active={active.data} />
        </Stack>
      ) : null}
    </>
  );
}

const Details = ({ policy }: { readonly policy: Policy }) => (
  <Facts
    facts={[
      [
        'Last activated',
        policy.activatedAt
          ? `${formatTime(policy.activatedAt)} by ${actorName(policy.activatedBy)}`
          : 'Never',
      ],
      ['Stored', `${formatTime(policy.storedAt)} by ${actorName(policy.author)}`],
      ['Change note', visible(policy.note)],
      ['SHA-256', <Mono key="sha256">{policy.sha256}</Mono>],
    ]}
  />
);

interface ContentsProps {
  readonly policy: Policy;
  readonly found: GetPolicyResponse;
  readonly active: GetPolicyResponse | undefined;
}

function Contents({ policy, found: { rules, text }, active }: ContentsProps) {
  const { tab = 'rules' } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <Tabs
      value={tab}
      onChange={(value) => void navigate({ search: policySearch({ tab: value }), replace: true })}
    >
      <TabList tabs={{ rules: 'Rules', changes: 'Changes', edit: 'Edit and test' }} />
      <Tabs.Panel value="rules">
        <PolicyRules kind={policy.kind} rules={rules} active={policy.active ? rules : active?.rules} />
      </Tabs.Panel>
      <Tabs.Panel value="changes">
        <PolicyDifference version={policy.version} text={text} active={active} />
      </Tabs.Panel>
      <Tabs.Panel value="edit">
        <PolicyDraft kind={policy.kind} text={text} />
      </Tabs.Panel>
    </Tabs>
  );
}
