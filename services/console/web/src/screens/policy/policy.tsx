import { Badge, Button, Group, Paper, Stack, Tabs, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  type GetPolicyResponse,
  type Policy,
  PolicyKind,
  PolicyKindSchema,
  type PolicyRule,
  PolicyService,
} from '@supplier/proto/submission/v1/policies';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { getRouteApi, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ApprovableAction } from '../../actions/approvable-action.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { isNotFound, useMay } from '../../calls.ts';
import { Facts } from '../../components/facts.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { Mono } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { LoadState, PanelFrame } from '../../components/panel.tsx';
import { isPurpose, LONGEST, PurposeField } from '../../components/purpose-field.tsx';
import { TabList } from '../../components/tab-list.tsx';
import { actorName, enumLabel, formatTime, quoted, withNoun } from '../../format.ts';
import { policySearch } from '../../searches.ts';
import { kindName, kindNamed } from '../policies/policy-kinds.ts';
import { compareRules } from './compare-rules.ts';
import { useDryRun } from './dry-run.tsx';
import { DryRunEffect } from './dry-run-result.tsx';
import { PolicyDifference, TextDifference } from './policy-difference.tsx';
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
            <ActivatePolicy
              key={version}
              policy={policy}
              text={found.data?.text ?? ''}
              rules={found.data?.rules ?? []}
              active={active}
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
  const { tab: chosen = 'rules' } = route.useSearch();
  const navigate = route.useNavigate();
  const mayEdit = useMay()(PolicyService.method.validatePolicy);
  const tab = chosen === 'edit' && !mayEdit ? 'rules' : chosen;
  return (
    <Tabs
      value={tab}
      onChange={(value) => void navigate({ search: policySearch({ tab: value }), replace: true })}
    >
      <TabList tabs={{ rules: 'Rules', changes: 'Changes', ...(mayEdit ? { edit: 'Edit and test' } : {}) }} />
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

const PREVIEWED = 1_000;
/** Leaves room for the fields below. */
const DIFFERENCE_PX = 260;
const method = PolicyService.method.activatePolicy;

interface Activation {
  readonly policy: Policy;
  readonly text: string;
  readonly rules: readonly PolicyRule[];
}

/** Offers to activate a version, once its difference from the active one is known. */
function ActivatePolicy({
  active: { data, error },
  ...version
}: Activation & { readonly active: UseQueryResult<GetPolicyResponse> }) {
  const may = useMay();
  if (version.policy.active || !may(method)) return null;
  if (data || (error && isNotFound(error))) return <ActivatePolicyAction {...version} active={data} />;
  return (
    <>
      <Text size="sm" c="dimmed" role="status">
        {error ? 'The active version can’t be loaded.' : 'Loading the active version…'}
      </Text>
      <Button disabled>Activate</Button>
    </>
  );
}

/** Activates a stored version, with its effect in numbers. */
function ActivatePolicyAction(
  present: Activation & {
    /** The active version, if there is one. */
    readonly active: GetPolicyResponse | undefined;
  },
) {
  const [{ policy, text, rules, active }, onOpen] = useFrozen(present);
  const isStored = useLocation({ select: ({ state }) => state.isStored === true });
  const navigate = useNavigate();
  // The person has just written it.
  const [purpose, setPurpose] = useState(isStored ? policy.note.slice(0, LONGEST) : '');
  const { kind, version } = policy;
  const trimmed = purpose.trim();
  const { added, changed, removed } = compareRules(active?.rules ?? [], rules);
  return (
    <ApprovableAction
      name="Activate"
      isPrimary
      description={`Version ${visible(version)} decides every submission from now on. Earlier decisions don’t change.`}
      method={method}
      request={(approvalId) => ({ kind, version, purpose: trimmed, approvalId })}
      onDone={() => setPurpose('')}
      toastOf={() => ({ message: 'Version activated' })}
      command={`sss policies activate ${kindName(kind)} ${quoted(version)} --purpose ${quoted(trimmed)}`}
      isConfirmed
      isReady={isPurpose(purpose)}
      startsOpen={isStored}
      onOpen={(isOpen) => {
        onOpen(isOpen);
        // Neither a reload nor Back opens it again.
        if (!isOpen && isStored) void navigate({ to: '.', search: true, state: {}, replace: true });
      }}
    >
      {active ? (
        <p>{`Compared with the active version: ${withNoun(added.length, 'rule')} added, ${changed.length} changed, ${removed.length} removed.`}</p>
      ) : null}
      {active?.policy ? (
        <Paper withBorder mb="sm" mah={DIFFERENCE_PX} style={{ overflow: 'auto' }} tabIndex={0}>
          <TextDifference
            before={active.text}
            after={text}
            heads={[`Active: ${active.policy.version}`, `This version: ${version}`]}
          />
        </Paper>
      ) : null}
      <PurposeField value={purpose} onChange={setPurpose} autoFocus />
      {kind === PolicyKind.DECISION ? <EffectPreview text={text} purpose={purpose} /> : null}
    </ApprovableAction>
  );
}

/** What the version would have changed among the latest submissions. */
function EffectPreview({ text, purpose }: { readonly text: string; readonly purpose: string }) {
  const { result, run, isRunning, error } = useDryRun();
  return (
    <Stack gap="sm" mb="sm">
      <Group gap="xs">
        <Button
          disabled={!isPurpose(purpose)}
          loading={isRunning}
          onClick={() => run({ text, last: PREVIEWED, purpose: purpose.trim() })}
        >
          Preview effect
        </Button>
        <Text size="xs" c="dimmed">
          {`${isPurpose(purpose) ? 'See' : 'Enter a purpose to see'} how it would have decided the latest ${PREVIEWED.toLocaleString('en-GB')} submissions.`}
        </Text>
      </Group>
      {error ? <LoadError error={error} title="The dry run failed" /> : null}
      {result ? <DryRunEffect result={result} isRunning={isRunning} /> : null}
    </Stack>
  );
}
