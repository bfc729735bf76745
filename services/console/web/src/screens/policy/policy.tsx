import { Badge, Group, Stack, Tabs, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  type GetPolicyResponse,
  type Policy,
  PolicyKindSchema,
} from '@supplier/proto/submission/v1/policies';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { policies } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { LoadState } from '../../components/load-state.tsx';
import { Mono } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { PanelFrame } from '../../components/panel.tsx';
import { TabList } from '../../components/tab-list.tsx';
import { figuresQuery } from '../../figures-query.ts';
import { actorName, enumLabel, formatTime } from '../../format.ts';
import { policySearch } from '../../searches.ts';
import { kindNamed } from '../policies/policy-kinds.ts';
import { ActivatePolicyAction } from './activate-policy.tsx';
import { PolicyDifference } from './policy-difference.tsx';
import { PolicyDraft } from './policy-draft.tsx';
import { PolicyRules } from './policy-rules.tsx';
import { POLICY } from './policy-texts.ts';

const route = getRouteApi('/policies/$kind/$version');

/** One policy version: its rules, its difference from the active one, and an editor that tries changes. */
export function PolicyScreen() {
  const { kind: kindInPath, version } = route.useParams();
  const kind = kindNamed(kindInPath);
  const found = useQuery({
    ...figuresQuery,
    queryKey: ['policy', kind, version],
    queryFn: ({ signal }) => policies.getPolicy({ kind, version }, { signal }),
    enabled: kind !== 0,
  });
  const active = useQuery({
    ...figuresQuery,
    queryKey: ['policy', kind, ''],
    queryFn: ({ signal }) => policies.getPolicy({ kind }, { signal }),
    enabled: kind !== 0,
  });
  const policy = found.data?.policy;
  if (kind === 0) return <Text role="alert">{POLICY.noKind}</Text>;
  return (
    <>
      <PageHeader
        parent={{ name: POLICY.parent, to: '/policies' }}
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
            <Badge color={policy.active ? 'green' : 'gray'}>
              {policy.active ? POLICY.active : POLICY.notActive}
            </Badge>
          ) : null}
        </Group>
      </PageHeader>
      <LoadState query={found} notFound={POLICY.notFound} />
      {found.data && policy ? (
        <Stack gap="md">
          <PanelFrame title={POLICY.details}>
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
        POLICY.activated,
        policy.activatedAt
          ? POLICY.by(formatTime(policy.activatedAt), actorName(policy.activatedBy))
          : POLICY.never,
      ],
      [POLICY.stored, POLICY.by(formatTime(policy.storedAt), actorName(policy.author))],
      [POLICY.note, visible(policy.note)],
      [POLICY.sha256, <Mono key="sha256">{policy.sha256}</Mono>],
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
      <TabList tabs={{ rules: POLICY.rules, changes: POLICY.changes, edit: POLICY.edit }} />
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
